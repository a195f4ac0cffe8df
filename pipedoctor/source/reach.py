"""What runs in a worker: the code of items and all that it calls, across files."""

import ast
from collections.abc import Iterator

from pipedoctor.source.constructions import Constructions
from pipedoctor.source.origin import returned
from pipedoctor.source.project import Project, key_is_self, last_name
from pipedoctor.source.scope import Class, Scope, key_of
from pipedoctor.source.values import Values

MAP = {
    "torch.utils.data.Dataset",
    "torch.utils.data.dataset.Dataset",
    "torch.utils.data.Subset",
    "torch.utils.data.ConcatDataset",
    "torch.utils.data.dataset.ConcatDataset",
    "torch.utils.data.dataset.Subset",
    "torch.utils.data.TensorDataset",
    "torch_geometric.data.Dataset",
    "torch_geometric.data.InMemoryDataset",
    "monai.data.Dataset",
    "monai.data.CacheDataset",
    "pytorch_lightning.LightningDataset",
    "mmcv.BaseDataset",
    "mmengine.dataset.BaseDataset",
}
ITERABLE = {
    "torch.utils.data.IterableDataset",
    "torch.utils.data.dataset.IterableDataset",
    "torch.utils.data.IterDataPipe",
    "torchdata.datapipes.iter.IterDataPipe",
}
FRAMEWORKS = ("torchvision.datasets.", "torchtext.datasets.", "torchaudio.datasets.")
ENTRY = ("__getitem__", "__getitems__", "__iter__")
_SAME = {"cuda", "to", "eval", "train", "half", "float", "double", "cpu", "bfloat16"}
"""Methods of a module that give the module itself."""
_WRAPPERS = {"DataParallel", "DistributedDataParallel", "DDP", "compile"}
_MOST = 4000
"""Functions that are followed at most."""


class Reach:
    """The datasets of a project, and the functions that their workers run."""

    def __init__(
        self, project: Project, values: Values, constructions: Constructions
    ) -> None:
        self.project = project
        self.values = values
        self.datasets: dict[str, Class] = {}
        self.style: dict[str, str] = {}
        for cls in project.classes:
            style = self._style(cls)
            if style:
                self.datasets[cls.full] = cls
                self.style[cls.full] = style
        self._types: dict[tuple[int, Scope, Class | None, int], list[Class]] = {}
        self._loaded(constructions)
        self.items: dict[int, Scope] = {}
        """Functions that run for items, by identity."""
        self.of_dataset: dict[str, set[int]] = {}
        self.initial: set[int] = set()
        """Functions that run once, when a dataset is made."""
        self.collates: dict[int, Scope] = {}
        self.seeders: dict[int, Scope] = {}
        self._collect(constructions)

    def _loaded(self, constructions: Constructions) -> None:
        """A class that a loader is given is a data set, whatever it derives from."""
        for made in constructions.made:
            given = made.given.get("dataset")
            for cls in self.types(*given[:2], given.scope.owner) if given else ():
                if self.project.method(cls, "__getitem__") is not None:
                    self.datasets.setdefault(cls.full, cls)
                    self.style.setdefault(cls.full, "given")

    def _style(self, cls: Class) -> str:
        known, foreign = self.project.bases(cls)
        names = set(foreign)
        if names & ITERABLE:
            return "iterable"
        if names & MAP or any(name.startswith(FRAMEWORKS) for name in names):
            return "map"
        if cls.name.endswith(("Sampler", "DataLoader", "Model", "Module")):
            return ""
        named = any(one.name.endswith("Dataset") for one in known)
        has_item = self.project.method(cls, "__getitem__") is not None
        stem = any(n.rpartition(".")[2].endswith("Dataset") for n in names if n)
        known_so = has_item and (named or stem) and self._torchlike(cls)
        return "map" if known_so else ""

    def _torchlike(self, cls: Class) -> bool:
        known, _ = self.project.bases(cls)
        return any(
            name.startswith("torch")
            for one in known
            for name in one.module.names.values()
        )

    def _collect(self, constructions: Constructions) -> None:
        for name, cls in self.datasets.items():
            roots = [m for e in ENTRY if (m := self.project.method(cls, e))]
            if self.style[name] != "iterable":
                roots = [m for m in roots if not m.name.endswith("__iter__")]
            self.of_dataset[name] = self._closure(roots, cls)
            if (init := self.project.method(cls, "__init__")) is not None:
                self.initial |= self._closure([init], cls)
        for made in constructions.made:
            into_of = {"collate_fn": self.collates, "worker_init_fn": self.seeders}
            for name, into in into_of.items():
                given = made.given.get(name)
                for scope in self.callables(*given[:2]) if given else ():
                    into[id(scope)] = scope
        self._closure(list(self.collates.values()), None)
        self._closure(list(self._composed()), None)

    def _composed(self) -> Iterator[Scope]:
        """Our own transforms: what stands in a Compose that a dataset is given."""
        for site in self.project.sites("Compose"):
            if not self.project.dotted(site.node.func, site.scope.module).startswith(
                ("torchvision.", "albumentations.", "monai.", "torch_geometric.")
            ):
                continue
            for one in ast.walk(site.node):
                if isinstance(one, ast.Call) and one is not site.node:
                    yield from self.callables(one, site.scope)

    def _closure(self, roots: list[Scope], cls: Class | None) -> set[int]:
        """All functions that are called from these, with `cls` as their self."""
        items = any(not r.name.endswith("__init__") for r in roots)
        seen: set[tuple[int, str]] = set()
        reached: dict[int, Scope] = {}
        queue: list[tuple[Scope, Class | None]] = [(root, cls) for root in roots]
        while queue and len(reached) < _MOST:
            scope, mine = queue.pop()
            key = (id(scope), mine.full if mine else "")
            if key in seen:
                continue
            seen.add(key)
            reached[id(scope)] = scope
            queue.extend(self._called(scope, mine))
        if items:
            self.items.update(reached)
        return set(reached)

    def _called(
        self, scope: Scope, mine: Class | None
    ) -> Iterator[tuple[Scope, Class | None]]:
        for step in scope.calls:
            node = step.node
            if isinstance(node, ast.Call):
                yield from self.targets(node.func, scope, mine)
        for step in scope.of_type.get(ast.Subscript, []):
            sub = step.node
            if isinstance(sub, ast.Subscript) and isinstance(sub.ctx, ast.Load):
                for cls in self.types(sub.value, scope, mine):
                    method = self.project.method(cls, "__getitem__")
                    if method is not None:
                        yield method, cls

    def targets(
        self, func: ast.expr, scope: Scope, mine: Class | None
    ) -> Iterator[tuple[Scope, Class | None]]:
        """The functions of the project that a call may enter."""
        if isinstance(func, ast.Attribute) and key_is_self(func.value) and mine:
            start = mine
            method = self.project.method(start, func.attr)
            if isinstance(func.value, ast.Call) and scope.owner is not None:
                later = self.project.bases(scope.owner)[0][1:]
                method = next(
                    (c.methods[func.attr] for c in later if func.attr in c.methods),
                    None,
                )
            if method is not None:
                yield method, mine
            else:
                for one in self.callables(func, scope, mine):
                    yield one, one.owner
            return
        found = self.project.found(func, scope.module)
        if isinstance(found, Scope):
            yield found, found.owner
        elif isinstance(found, Class):
            init = self.project.method(found, "__init__")
            if init is not None:
                yield init, found
        elif isinstance(func, ast.Attribute):
            for cls in self.types(func.value, scope, mine):
                method = self.project.method(cls, func.attr)
                if method is not None:
                    yield method, cls
        elif isinstance(func, ast.Name):
            for one in self.callables(func, scope, mine):
                yield one, one.owner

    def types(
        self, node: ast.expr, scope: Scope, mine: Class | None, depth: int = 4
    ) -> list[Class]:
        """The classes of the project that a value may be of."""
        if depth <= 0 or isinstance(node, ast.Constant):
            return []
        key = (id(node), scope, mine, depth)
        known = self._types.get(key)
        if known is None:
            known = self._types[key] = list(self._found(node, scope, mine, depth))
        return known

    def _found(
        self, node: ast.expr, scope: Scope, mine: Class | None, depth: int
    ) -> Iterator[Class]:
        if isinstance(node, ast.Call):
            found = self.project.found(node.func, scope.module)
            if isinstance(found, Class):
                yield found
            elif isinstance(found, Scope):
                for value in returned(found)[:4]:
                    yield from self.types(value, found, None, depth - 1)
            elif isinstance(node.func, ast.Attribute) and node.func.attr in _SAME:
                yield from self.types(node.func.value, scope, mine, depth)
            elif last_name(node.func) in _WRAPPERS and node.args:
                yield from self.types(node.args[0], scope, mine, depth)
            return
        if isinstance(node, (ast.IfExp, ast.BoolOp)):
            for part in _choices(node):
                yield from self.types(part, scope, mine, depth)
            return
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Dict):
            for part in node.value.values:
                yield from self.types(part, scope, mine, depth - 1)
            return
        key = key_of(node)
        if not key:
            return
        for value, its in self._assigned(key, scope, mine):
            yield from self.types(value, its, its.owner, depth - 1)
        if not key.startswith("self.") and self.values.has_parameter(scope, key):
            for value, its in self.values.handed(scope, key)[:6]:
                yield from self.types(value, its, its.owner, depth - 1)

    def _assigned(
        self, key: str, scope: Scope, mine: Class | None
    ) -> Iterator[tuple[ast.expr, Scope]]:
        if key.startswith("self.") and mine is not None:
            for one in self.project.bases(mine)[0]:
                for method in one.methods.values():
                    for value, _ in method.bound.get(key, []):
                        yield value, method
            return
        yield from self.values.assigned(key, scope)

    def callables(
        self, node: ast.expr, scope: Scope, mine: Class | None = None, depth: int = 5
    ) -> Iterator[Scope]:
        """The functions of the project that a value calls when it is called."""
        if depth <= 0:
            return
        found = self.project.found(node, scope.module)
        if isinstance(found, Scope):
            yield found
        elif isinstance(node, ast.Call):
            yield from self._made_callable(node, scope, mine, depth)
        elif isinstance(node, (ast.IfExp, ast.BoolOp)):
            for part in _choices(node):
                yield from self.callables(part, scope, mine, depth - 1)
        elif key_of(node):
            key = key_of(node)
            if key in scope.local:
                return
            for value, its in self._assigned(key, scope, mine):
                yield from self.callables(value, its, its.owner, depth - 1)
            if self.values.has_parameter(scope, key):
                default = self.values.default(scope, key)
                if default is not None:
                    yield from self.callables(default, scope, mine, depth - 1)
                for value, its in self.values.handed(scope, key)[:8]:
                    yield from self.callables(value, its, its.owner, depth - 1)

    def _made_callable(
        self, node: ast.Call, scope: Scope, mine: Class | None, depth: int
    ) -> Iterator[Scope]:
        """An object with ``__call__``, a partial, a Compose of such."""
        found = self.project.found(node.func, scope.module)
        if isinstance(found, Class):
            for name in ("__call__", "forward"):
                method = self.project.method(found, name)
                if method is not None:
                    yield method
        elif isinstance(found, Scope):
            for value in returned(found)[:4]:
                yield from self.callables(value, found, None, depth - 1)
        elif last_name(node.func) in {"partial", "Compose", "Lambda", "ComposeX"}:
            for one in node.args[:1]:
                parts = one.elts if isinstance(one, (ast.List, ast.Tuple)) else [one]
                for part in parts:
                    yield from self.callables(part, scope, mine, depth - 1)


def _choices(node: ast.IfExp | ast.BoolOp) -> list[ast.expr]:
    return [node.body, node.orelse] if isinstance(node, ast.IfExp) else node.values
