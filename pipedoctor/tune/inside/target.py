"""Load a target: `file.py:callable` or `module:callable`."""

# Samples, batches and samplers are the user's: nobody knows their types.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownLambdaType=false

import importlib
import importlib.util
import inspect
import sys
import sysconfig
import traceback
import weakref
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from functools import reduce
from pathlib import Path
from types import ModuleType
from typing import Any

from pipedoctor.attempt import Done, attempt

_PACKAGE = Path(__file__).parents[2]
_LIBRARY = Path(sysconfig.get_path("stdlib"))


class Unloadable(Exception):  # noqa: N818  (what the target is, not what we did)
    """A target that gives neither a data set nor a loader; the message says why."""


def load(target: str) -> Any:
    """Import the target, call it, and give the Dataset or DataLoader it returns."""
    made = _called(target, found(target))
    if not acceptable(made):
        message = (
            f"{target}: returned {_described(made)}: "
            "expected a torch Dataset or DataLoader"
        )
        raise Unloadable(message)
    return made


def found(target: str) -> Any:
    """Import the module of a target and give the object that it names."""
    place, colon, name = target.rpartition(":")
    if not colon or not place or not name:
        message = f"{target}: write file.py:callable or module:callable"
        raise Unloadable(message)
    is_file = place.endswith(".py") or Path(place).is_file()
    module = guarded(
        f"{place}: importing it",
        lambda: _from_file(place) if is_file else _named(place),
    )
    try:
        return reduce(getattr, name.split("."), module)
    except AttributeError:
        public = [key for key, value in vars(module).items() if _offered(value, module)]
        known = f"; it has {', '.join(public[:8])}" if public else ""
        message = f"{place}: has no {name!r}{known}"
        raise Unloadable(message) from None


@contextmanager
def noted() -> Generator[dict[int, tuple[str, int]], None, None]:
    """
    Note where every DataLoader is made: its identity, the file and the line.

    One that is gone is forgotten: another object may get its identity.
    """
    from torch.utils.data import DataLoader  # noqa: PLC0415  (may be missing)

    places: dict[int, tuple[str, int]] = {}
    original = DataLoader.__init__

    def init(self: Any, *args: Any, **options: Any) -> None:
        frame = inspect.stack(0)[1].frame
        if id(self) not in places:
            places[id(self)] = frame.f_code.co_filename, frame.f_lineno
            weakref.finalize(self, places.pop, id(self), None)
        original(self, *args, **options)

    replaced: Any = DataLoader
    replaced.__init__ = init
    try:
        yield places
    finally:
        replaced.__init__ = original


def acceptable(made: Any) -> bool:
    """Is it a loader, a data set, or indexed like one?"""
    from torch.utils.data import DataLoader, Dataset  # noqa: PLC0415  (may be missing)

    if isinstance(made, (DataLoader, Dataset)):
        return True
    plain = isinstance(made, (str, bytes, bytearray, dict, type, ModuleType))
    return not plain and hasattr(made, "__getitem__") and hasattr(made, "__len__")


def _called(target: str, thing: Any) -> Any:
    if acceptable(thing):
        return thing
    if not callable(thing):
        message = f"{target}: is {_described(thing)}: expected a callable"
        raise Unloadable(message)
    make: Callable[[], Any] = thing
    return guarded(f"{target}: calling it", make)


def guarded(doing: str, call: Callable[[], Any]) -> Any:
    """Call the user's code; whatever it raises becomes one line with its place."""
    done = attempt(call, interrupts=True)
    if isinstance(done, Done):
        return done.value
    if isinstance(done.error, Unloadable):
        raise done.error
    if isinstance(done.error, SystemExit):
        message = f"{doing} called sys.exit({done.error.code!r})"
    else:
        message = f"{doing} raised {said(done.error)}"
    raise Unloadable(message)


def said(error: BaseException) -> str:
    """``ValueError: no images (data.py:12)``."""
    if isinstance(error, SyntaxError):
        name = Path(error.filename or "").name
        return f"{type(error).__name__}: {error.msg} ({name}:{error.lineno})"
    last = "".join(traceback.format_exception_only(type(error), error))
    text = " ".join(last.split())[:400]
    frames = traceback.extract_tb(error.__traceback__)
    return text + innermost([(f.filename, str(f.lineno)) for f in frames])


def innermost(places: Sequence[tuple[str, str]]) -> str:
    """`` (data.py:12)``, the last place in code of the user, else in a library."""
    theirs = [place for place in places if not _ours(place[0])]
    written = [place for place in theirs if not _installed(place[0])]
    for filename, line in (written or theirs)[-1:]:
        return f" ({Path(filename).name}:{line})"
    return ""


def _installed(filename: str) -> bool:
    """Does it belong to a package, or to Python itself?"""
    path = Path(filename)
    packages = {"site-packages", "dist-packages"} & {*path.parts}
    return bool(packages) or path.is_relative_to(_LIBRARY)


def _ours(filename: str) -> bool:
    return (
        filename.startswith(("<frozen", "<string"))
        or Path(filename).is_relative_to(_PACKAGE)
        or "importlib" in filename
    )


def _from_file(place: str) -> ModuleType:
    file = Path(place).resolve()
    if not file.is_file():
        message = f"{place}: no such file"
        raise Unloadable(message)
    sys.path.insert(0, str(file.parent))
    name = file.stem
    if name in sys.modules or not name.isidentifier():
        name = f"target_{name}".replace("-", "_").replace(".", "_")
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        message = f"{place}: not Python code"
        raise Unloadable(message)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def _named(place: str) -> ModuleType:
    sys.path.insert(0, str(Path.cwd()))
    return importlib.import_module(place)


def _offered(value: object, module: ModuleType) -> bool:
    return callable(value) and getattr(value, "__module__", "") == module.__name__


def _described(thing: object) -> str:
    kind = type(thing).__name__
    return "None" if thing is None else f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"
