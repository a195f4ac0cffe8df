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

from pipedoctor.runtime.attempt import CallResult, attempt

_PACKAGE = Path(__file__).parents[2]
_STDLIB = Path(sysconfig.get_path("stdlib"))


class TargetLoadError(Exception):
    """A target that gives neither a dataset nor a loader; the message says why."""


def load_target(target: str) -> Any:
    """Import the target, call it, and give the Dataset or DataLoader it returns."""
    made = _call_target(target, resolve_target(target))
    if not is_dataset_or_loader(made):
        message = (
            f"{target}: returned {_describe_type(made)}: expected a torch Dataset or DataLoader"
        )
        raise TargetLoadError(message)
    return made


def split_target(target: str) -> tuple[str, str, bool]:
    """
    Place and name of a target, and whether the place is a file.

    Imports nothing; raises TargetLoadError for another form and for a file that is not there.
    """
    place, colon, name = target.rpartition(":")
    if not colon or not place or not name:
        message = f"{target}: expected file.py:callable or module:callable"
        raise TargetLoadError(message)
    is_file = Path(place).is_file()
    if place.endswith(".py") and not is_file:
        message = f"{place}: no such file"
        raise TargetLoadError(message)
    return place, name, is_file


def resolve_target(target: str) -> Any:
    """Import the module of a target and give the object that it names."""
    place, name, is_file = split_target(target)
    module = call_user_code(
        f"{place}: importing the module",
        lambda: _import_file(place) if is_file else _import_module(place),
    )
    try:
        return reduce(getattr, name.split("."), module)
    except AttributeError:
        public = [key for key, value in vars(module).items() if _is_public_callable(value, module)]
        suggestions = f"; it has {', '.join(public[:8])}" if public else ""
        message = f"{place}: has no {name!r}{suggestions}"
        raise TargetLoadError(message) from None


@contextmanager
def record_loader_places() -> Generator[dict[int, tuple[str, int]], None, None]:
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


def is_dataset_or_loader(source: Any) -> bool:
    """Is it a loader, a dataset, or indexed like one?"""
    from torch.utils.data import DataLoader, Dataset  # noqa: PLC0415  (may be missing)

    if isinstance(source, (DataLoader, Dataset)):
        return True
    plain = isinstance(source, (str, bytes, bytearray, dict, type, ModuleType))
    return not plain and hasattr(source, "__getitem__") and hasattr(source, "__len__")


def _call_target(target: str, thing: Any) -> Any:
    if is_dataset_or_loader(thing):
        return thing
    if not callable(thing):
        message = f"{target}: is {_describe_type(thing)}: expected a callable"
        raise TargetLoadError(message)
    make: Callable[[], Any] = thing
    return call_user_code(f"{target}: calling the target", make)


def call_user_code(action: str, call: Callable[[], Any]) -> Any:
    """Call the user's code; whatever it raises becomes one line with its place."""
    done = attempt(call, interrupts=True)
    if isinstance(done, CallResult):
        return done.value
    if isinstance(done.error, TargetLoadError):
        raise done.error
    if isinstance(done.error, SystemExit):
        message = f"{action} called sys.exit({done.error.code!r})"
    else:
        message = f"{action} raised {format_error(done.error)}"
    raise TargetLoadError(message)


def format_error(error: BaseException) -> str:
    """``ValueError: no images (data.py:12)``."""
    if isinstance(error, SyntaxError):
        name = Path(error.filename or "").name
        return f"{type(error).__name__}: {error.msg} ({name}:{error.lineno})"
    last = "".join(traceback.format_exception_only(type(error), error))
    text = " ".join(last.split())[:400]
    frames = traceback.extract_tb(error.__traceback__)
    return text + format_place([(f.filename, str(f.lineno)) for f in frames])


def format_place(places: Sequence[tuple[str, str]]) -> str:
    """`` (data.py:12)``, the last place in code of the user, else in a library."""
    theirs = [place for place in places if not _is_own_file(place[0])]
    written = [place for place in theirs if not _is_installed(place[0])]
    for filename, line in (written or theirs)[-1:]:
        return f" ({Path(filename).name}:{line})"
    return ""


def _is_installed(filename: str) -> bool:
    """Does it belong to a package, or to Python itself?"""
    path = Path(filename)
    packages = {"site-packages", "dist-packages"} & {*path.parts}
    return bool(packages) or path.is_relative_to(_STDLIB)


def _is_own_file(filename: str) -> bool:
    return (
        filename.startswith(("<frozen", "<string"))
        or Path(filename).is_relative_to(_PACKAGE)
        or "importlib" in filename
    )


def _import_file(place: str) -> ModuleType:
    file = Path(place).resolve()
    sys.path.insert(0, str(file.parent))
    name = file.stem
    if name in sys.modules or not name.isidentifier():
        name = f"target_{name}".replace("-", "_").replace(".", "_")
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        message = f"{place}: not valid Python code"
        raise TargetLoadError(message)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def _import_module(place: str) -> ModuleType:
    sys.path.insert(0, str(Path.cwd()))
    return importlib.import_module(place)


def _is_public_callable(value: object, module: ModuleType) -> bool:
    return callable(value) and getattr(value, "__module__", "") == module.__name__


def _describe_type(thing: object) -> str:
    kind = type(thing).__name__
    return "None" if thing is None else f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"
