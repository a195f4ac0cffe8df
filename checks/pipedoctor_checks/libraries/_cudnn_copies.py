"""Parts of cuDNN that would be loaded, and remedies to make their versions agree."""

from collections.abc import Iterator

from pipedoctor.check import Remedy
from pipedoctor.facts import Interpreter, Library, TorchBuild
from pipedoctor.versions import get_series
from pipedoctor_checks._shared import library_description, pip_command
from pipedoctor_checks._shared.advice import advise_user

_TENSOR_IR_LIBRARY = "libcudnn_engines_tensor_ir"
_TORCH_WITHOUT_TENSOR_IR = ("2.12", "2.13")
"""Their cuDNN opens a part by name that their wheel does not contain."""


def required_version(torch: TorchBuild | None) -> str:
    """The version that torch requires or was compiled with; empty: unknown."""
    pins = torch.pins if torch else ()
    named = (pin.version for pin in pins if pin.name.startswith("nvidia-cudnn"))
    return next(named, "") or (torch.cudnn if torch else "")


def main_version(parts: tuple[Library, ...]) -> str:
    """The version of libcudnn itself."""
    named = (p.version for p in parts if p.soname.startswith("libcudnn.so"))
    return next(named, "")


def find_mismatched_part(parts: tuple[Library, ...]) -> Library | None:
    """The first part whose version differs from the main library."""
    main = main_version(parts)
    return next((p for p in parts if p.version and main and p.version != main), None)


def list_remedies(
    torch: TorchBuild | None, place: Interpreter | None, wrong: Library | None
) -> Iterator[Remedy]:
    """Ways to restore a single cuDNN, the safest first."""
    lacking = wrong is not None and wrong.soname.startswith(_TENSOR_IR_LIBRARY)
    if lacking and torch is not None and get_series(torch.version) in _TORCH_WITHOUT_TENSOR_IR:
        yield from _install_complete_cudnn(torch, place)
    if wrong is not None and not wrong.bundled:
        yield advise_user(
            f"Remove the cuDNN in {library_description.library_folder(wrong)}, or exclude it"
            f" from {library_description.describe_source(wrong.found_by)}"
        )
        return
    yield advise_user("Reinstall torch with the cuDNN that it requires, and unset LD_LIBRARY_PATH")


def _install_complete_cudnn(torch: TorchBuild, place: Interpreter | None) -> Iterator[Remedy]:
    yield pip_command.install(
        place, "Install torch 2.14 or newer, whose cuDNN is complete", "torch>=2.14"
    )
    for pin in torch.pins:
        if pin.name.startswith("nvidia-cudnn"):
            yield pip_command.install(
                place,
                "Alternatively install a complete cuDNN; pip will report a conflict with"
                " torch's pin",
                f"{pin.name}>=9.23",
            )
