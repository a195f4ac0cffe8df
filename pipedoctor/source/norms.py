"""Which files have to do with BatchNorm: themselves, or by what they import."""

import re
from functools import cached_property

from pipedoctor.source.project import Project
from pipedoctor.source.scope import Module

_WORDS = re.compile(rb"BatchNorm|resnet\d|ResNet\d*\(|models\.__dict__")


class Norms:
    """Follows the imports of one project, each file once."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self._says: dict[int, bool] = {}
        self._near: dict[int, bool] = {}
        self._beside: dict[int, list[Module]] = {}

    def near(self, module: Module) -> bool:
        """Does it, or a file of the project that it imports, use BatchNorm?"""
        if not self._anywhere:
            return False
        known = self._near.get(id(module))
        if known is None:
            known = self._near[id(module)] = any(map(self._speaks, self._with(module)))
        return known

    @cached_property
    def _anywhere(self) -> bool:
        """Does any file of the project? Most have nothing to do with it."""
        return any(map(self._speaks, self.project.modules))

    def _speaks(self, module: Module) -> bool:
        known = self._says.get(id(module))
        if known is None:
            text = module.text.whole
            known = self._says[id(module)] = bool(_WORDS.search(text))
        return known

    def _with(self, module: Module) -> list[Module]:
        found, queue = {id(module): module}, [module]
        while queue:
            one = queue.pop()
            for other in self._imported(one):
                if id(other) not in found:
                    found[id(other)] = other
                    queue.append(other)
        return [*found.values()]

    def _imported(self, module: Module) -> list[Module]:
        """The files of the project that one of them imports; looked up once."""
        known = self._beside.get(id(module))
        if known is None:
            names = {*module.names.values(), *module.stars}
            names |= {name.rpartition(".")[0] for name in names}
            every = (self.project.module(name, module) for name in names if name)
            known = self._beside[id(module)] = [one for one in every if one]
        return known
