"""Which parts of cuDNN would be loaded, and what brings them together again."""

from collections.abc import Iterator

from pipedoctor.facts import Interpreter, Library, TorchBuild
from pipedoctor.remedy import Remedy
from pipedoctor.versions import series
from pipedoctor_checks import _library_words, _pip

_TENSOR_IR = "libcudnn_engines_tensor_ir"
_LACKING = ("2.12", "2.13")
"""Their cuDNN opens a part by name that their wheel does not bring."""


def pinned(torch: TorchBuild | None) -> str:
    """The version that torch requires or was compiled with; empty: not known."""
    pins = torch.pins if torch else ()
    named = (pin.version for pin in pins if pin.name.startswith("nvidia-cudnn"))
    return next(named, "") or (torch.cudnn if torch else "")


def main_version(parts: tuple[Library, ...]) -> str:
    """The version of libcudnn itself."""
    named = (p.version for p in parts if p.soname.startswith("libcudnn.so"))
    return next(named, "")


def stray(parts: tuple[Library, ...]) -> Library | None:
    """The first part that is of another version than the main library."""
    main = main_version(parts)
    return next((p for p in parts if p.version and main and p.version != main), None)


def remedies(
    torch: TorchBuild | None, place: Interpreter | None, wrong: Library | None
) -> Iterator[Remedy]:
    """Ways to have one cuDNN again, the surest first."""
    lacking = wrong is not None and wrong.soname.startswith(_TENSOR_IR)
    if lacking and torch is not None and series(torch.version) in _LACKING:
        yield from _complete(torch, place)
    if wrong is not None and not wrong.bundled:
        yield _library_words.by_hand(
            f"Remove the cuDNN in {_library_words.folder(wrong)}, or take it out of "
            f"{_library_words.come_by(wrong.found_by)}"
        )
        return
    yield _library_words.by_hand(
        "Reinstall torch with the cuDNN that it requires, and unset LD_LIBRARY_PATH"
    )


def _complete(torch: TorchBuild, place: Interpreter | None) -> Iterator[Remedy]:
    yield _pip.install(
        place, "Install torch 2.14 or newer, whose cuDNN is complete", "torch>=2.14"
    )
    for pin in torch.pins:
        if pin.name.startswith("nvidia-cudnn"):
            yield _pip.install(
                place,
                "Or take a complete cuDNN; pip will name a conflict with torch's pin",
                f"{pin.name}>=9.23",
            )
