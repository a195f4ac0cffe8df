"""PDR842: do libraries that must fit each other come from different channels?"""

from pipedoctor.check import Confidence, Finding, Findings, Remedy, Severity, check
from pipedoctor.facts import Conda, CondaPackage
from pipedoctor_checks._shared.advice import advise_user
from pipedoctor_checks._shared.conda_command import conda_argv

_COUPLED_PACKAGES = frozenset(
    (
        "blas",
        "cudatoolkit",
        "cudnn",
        "ffmpeg",
        "intel-openmp",
        "libblas",
        "libjpeg-turbo",
        "libopenblas",
        "libtiff",
        "llvm-openmp",
        "mkl",
        "numpy",
        "openblas",
        "pillow",
        "pytorch",
        "torchvision",
    )
)
"""Binaries that call each other: BLAS, OpenMP, CUDA, the image libraries."""
_LAST_TORCH = "2.5"


@check("PDR842", "Libraries that belong together come from different conda channels")
def conda_channels_mixed(conda: Conda, /) -> Findings:
    """
    Look up the channels of libraries that call each other.

    ## Why it hurts

    conda-forge and the defaults channel build with different compilers and different
    BLAS, OpenMP and image libraries. Mixed, they load two OpenMP runtimes or miss
    symbols. Mixing channels does no harm for packages that are independent of each
    other.

    ## How it is judged

    BLAS, OpenMP, CUDA, image libraries, numpy and torch come partly from conda-forge
    and partly from defaults (`pkgs/main`). A torch of the `pytorch` channel is a
    separate note: that channel ended with 2.5 and prevents upgrades of the environment.

    ## Sources

    - https://github.com/pytorch/pytorch/issues/138506
    - https://conda-forge.org/docs/user/tipsandtricks/
    """
    coupled = [package for package in conda.packages if package.name in _COUPLED_PACKAGES]
    forge = _names_of_channel(coupled, "conda-forge")
    defaults = [
        *_names_of_channel(coupled, "pkgs/main"),
        *_names_of_channel(coupled, "defaults"),
    ]
    if forge and defaults:
        yield Finding(
            severity=Severity.RISKS,
            confidence=Confidence.POSSIBLE,
            summary=f"{', '.join(defaults)} from defaults, {', '.join(forge)} from conda-forge",
            evidence={"conda-forge": forge, "defaults": defaults},
            remedies=(_use_one_channel(conda, *forge, *defaults),),
        )
    torch = conda.find("pytorch")
    if torch is not None and torch.channel == "pytorch":
        yield Finding(
            severity=Severity.NOTE,
            summary=f"pytorch {torch.version} comes from the channel `pytorch`, which "
            f"ended with {_LAST_TORCH}",
            evidence={"pytorch": torch.version},
            remedies=(_use_one_channel(conda, "pytorch"),),
        )


def _names_of_channel(packages: list[CondaPackage], channel: str) -> list[str]:
    return [package.name for package in packages if package.channel == channel]


def _use_one_channel(conda: Conda, *names: str) -> Remedy:
    return advise_user(
        "Install all of them from conda-forge",
        argv=(
            *conda_argv(conda.prefix, "install", "--override-channels"),
            *("--channel", "conda-forge", *names),
        ),
    )
