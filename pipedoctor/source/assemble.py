"""From the model of a project to facts: loaders, what they load and what they feed."""

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, TypeAlias

from pipedoctor.facts.source import (
    Call,
    Dataset,
    Ignore,
    LoaderCall,
    Skipped,
    Source,
)
from pipedoctor.source.apart import take_apart
from pipedoctor.source.around import Around, Step
from pipedoctor.source.batches import loop_events
from pipedoctor.source.call_form import call_form
from pipedoctor.source.collating import collates
from pipedoctor.source.constructions import LOADERS, PARAMETERS, Made
from pipedoctor.source.effects import item_events, light
from pipedoctor.source.images import image_events
from pipedoctor.source.lifetimes import rebuilt, target_of, unguarded
from pipedoctor.source.loops import find_loops
from pipedoctor.source.merge import order
from pipedoctor.source.names import module_name
from pipedoctor.source.naming import with_modules
from pipedoctor.source.parse import Text
from pipedoctor.source.pen import Pen
from pipedoctor.source.places import place_events
from pipedoctor.source.project import Project, last_name
from pipedoctor.source.reach import FRAMEWORKS
from pipedoctor.source.record import Recorder
from pipedoctor.source.scope import Class, Module, Scope, key_of
from pipedoctor.source.sending import sent_events
from pipedoctor.source.state import state_events
from pipedoctor.source.values import spot, written

_TRAIN = re.compile(r"(^|[^a-z])(tr|trn|train|training)([^a-z]|$)|train", re.IGNORECASE)
_EVAL = re.compile(r"val|test|eval|dev_|_dev|infer|predict", re.IGNORECASE)
_IGNORE = re.compile(rb"#\s*pipedoctor:\s*ignore(?:\[([A-Za-z0-9_,\s-]*)\])?")
Role: TypeAlias = Literal["train", "eval", ""]
_MEMORY = ("torch.utils.data.TensorDataset", "torch.utils.data.dataset.TensorDataset")


def assemble(
    texts: Sequence[Text], skipped: Iterable[Skipped] = (), files: int = 0
) -> Source:
    """Make the facts of all files of a project."""
    return together([apart(text) for text in texts], skipped, files)


def together(
    modules: Sequence[Module],
    skipped: Iterable[Skipped] = (),
    files: int = 0,
    *,
    forget: bool = True,
    pens: dict[int, Pen] | None = None,
) -> Source:
    """
    Make the facts of all files of a project that are taken apart; they forget.

    Unless they are to stay: then each lets go only of what others have told it. With
    them may stay `pens`, which know their texts, by the identities of modules.
    """
    recorder = Recorder(Project(modules), pens)
    find_loops(recorder)
    item_events(recorder)
    state_events(recorder)
    loop_events(recorder)
    image_events(recorder)
    place_events(recorder)
    loaders = [_loader(recorder, n, m) for n, m in enumerate(_made(recorder))]
    facts = Source(
        files=files or len(modules),
        parsed=len(modules),
        skipped=tuple(skipped),
        loaders=tuple(loaders),
        loops=tuple(recorder.loops),
        events=tuple(sorted(recorder.events, key=order)),
        traits=tuple(sorted(recorder.traits)),
        ignores=tuple(one for module in modules for one in _ignores(module)),
    )
    for module in modules:
        module.forget() if forget else module.full.clear()
    return facts


def _lambda_in(recorder: Recorder, made: Made) -> tuple[ast.Lambda, Scope] | None:
    """A lambda among the transforms that the data set of a loader is given."""
    given = made.given.get("dataset")
    if given is None:
        return None
    for node, scope in _behind(recorder, given.node, given.scope):
        if not isinstance(node, ast.Call):
            continue
        for part in [*node.args, *(word.value for word in node.keywords)]:
            for value, its in _behind(recorder, part, scope):
                for one in ast.walk(value):
                    named = isinstance(one, ast.Call) and last_name(one.func)
                    if named == "Lambda" and isinstance(one, ast.Call) and one.args:
                        if isinstance(one.args[0], ast.Lambda):
                            return one.args[0], its
    return None


def _behind(
    recorder: Recorder, node: ast.expr, scope: Scope
) -> list[tuple[ast.expr, Scope]]:
    key = key_of(node)
    found = list(recorder.values.assigned(key, scope)) if key else []
    return found or [(node, scope)]


def apart(text: Text) -> Module:
    """Find the parts of a file: best right after it was parsed, with all at hand."""
    name, package = module_name(text.path)
    return take_apart(text, name, package=package)


def _made(recorder: Recorder) -> list[Made]:
    return recorder.constructions.made


def _loader(recorder: Recorder, index: int, made: Made) -> LoaderCall:
    scope = made.site.scope
    arguments = {
        name: recorder.constructions.value(given, complete=True)
        for name, given in made.given.items()
    }
    transform = _lambda_in(recorder, made)
    if transform is not None:
        arguments["transform"] = recorder.values.of(*transform)
    sent_events(recorder, made, transform)
    target = target_of(made, scope)
    fed = [n for n, loop in enumerate(recorder.loops) if index in loop.loaders]
    again, begun = rebuilt(recorder, made), unguarded(recorder, made, index)
    if again:
        recorder.add("rebuilt", scope, Step(made.site.node, Around()), node=made.node)
    if begun is not None:
        recorder.add("starts-workers", scope.module.body, begun)
    return LoaderCall(
        at=spot(scope.module, made.node),
        name=made.name,
        target=target,
        function=scope.name,
        arguments=arguments,
        complete=made.complete,
        role=_role(recorder, made, target, fed),
        dataset=_dataset(recorder, made),
        testing=recorder.tests(scope),
        framework=_framework(scope),
        repeats=index in recorder.kept,
        rebuilt=again,
        fed=tuple(fed),
        unguarded=begun is not None,
        batch_norm=recorder.norms.near(scope.module),
        call=_form(recorder, made),
        collates=collates(recorder, made),
        lasting=_lasting(recorder, made),
    )


def _lasting(recorder: Recorder, made: Made) -> bool:
    """Is it of a class of the project that iterates in a way of its own?"""
    cls = recorder.project.lookup(made.name, made.site.scope.module)
    return (
        isinstance(cls, Class) and recorder.project.method(cls, "__iter__") is not None
    )


def _form(recorder: Recorder, made: Made) -> Call | None:
    """How the call is written, where the class itself is called, and in one way."""
    scope, node = made.site.scope, made.site.node
    ways = recorder.constructions.ways[id(node)]
    if recorder.name(node.func, scope) not in LOADERS or ways > 1:
        return None
    pen = recorder.pen(scope.module)
    form = call_form(pen, node, PARAMETERS, direct=True)
    return form and with_modules(pen, scope, node, form)


def _role(recorder: Recorder, made: Made, target: str, fed: list[int]) -> Role:
    """By the names of variable and data set, then by the loops that it feeds."""
    given = made.given.get("dataset")
    names = [target, written(given.node) if given else ""]
    names.append(made.site.scope.name.rpartition(".")[2])
    for name in names:
        trains, evaluates = bool(_TRAIN.search(name)), bool(_EVAL.search(name))
        if trains != evaluates:
            return "train" if trains else "eval"
    roles: set[Role] = {recorder.loops[n].role for n in fed if recorder.loops[n].role}
    return roles.pop() if len(roles) == 1 else ""


def _dataset(recorder: Recorder, made: Made) -> Dataset | None:
    given = made.given.get("dataset")
    if given is None:
        return None
    for cls in recorder.reach.types(given.node, given.scope, given.scope.owner, 4):
        if cls.full in recorder.reach.datasets:
            return _own(recorder, cls)
    return _foreign(recorder, given.node, given.scope)


def _own(recorder: Recorder, cls: Class) -> Dataset:
    style = recorder.reach.style[cls.full]
    return Dataset(
        name=cls.full,
        at=spot(cls.module, cls.node),
        style="iterable" if style == "iterable" else "map",
        light=light(recorder, cls.full),
    )


def _foreign(
    recorder: Recorder, node: ast.expr, scope: Scope, depth: int = 4
) -> Dataset | None:
    """A data set of a framework, by its name."""
    if depth <= 0:
        return None
    if isinstance(node, ast.Call):
        name = recorder.name(node.func, scope)
        if name in _MEMORY:
            return Dataset(name=name, style="map", light=True)
        if name.startswith(FRAMEWORKS):
            streams = name.startswith("torchtext.")
            return Dataset(name=name, style="iterable" if streams else "map")
        return None
    key = key_of(node)
    if not key:
        return None
    found = [
        one
        for value, its in recorder.values.assigned(key, scope)
        if (one := _foreign(recorder, value, its, depth - 1)) is not None
    ]
    return found[0] if found else None


def _framework(scope: Scope) -> str:
    """What drives the loops over the loaders of this file."""
    for name in ("pytorch_lightning", "lightning", "accelerate"):
        for full in scope.module.names.values():
            if full.partition(".")[0] == name:
                return "Lightning" if "lightning" in name else name
    return ""


def _ignores(module: Module) -> Iterator[Ignore]:
    if b"pipedoctor" not in module.text.whole:
        return
    for number, line in enumerate(module.text.lines, 1):
        if b"pipedoctor" in line:
            match = _IGNORE.search(line)
            if match:
                names = (match[1] or b"").decode().replace(",", " ").split()
                node = ast.Pass(lineno=number, col_offset=match.start())
                yield Ignore(at=spot(module, node), names=tuple(names))
