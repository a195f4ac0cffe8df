"""PDR842: do libraries that must fit each other come from different channels?"""

from pipedoctor.check import Confidence, Finding, Findings, Severity, check
from pipedoctor.facts import Conda, CondaPackage
from pipedoctor.remedy import Lasts, Remedy

_COUPLED = frozenset(
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
_LAST = "2.5"


@check("PDR842", "Libraries that belong together come from different conda channels")
def conda_channels_mixed(conda: Conda, /) -> Findings:
    """
    Look at which channels the libraries come from that call each other.

    ## Why it hurts

    conda-forge and the defaults channel build against different compilers and
    different BLAS, OpenMP and image libraries. Mixed, they load two OpenMP runtimes or
    miss symbols. Mixing channels for packages that stand alone does no harm.

    ## How it is judged

    BLAS, OpenMP, CUDA, image libraries, numpy and torch come partly from conda-forge
    and partly from defaults (`pkgs/main`). A torch of the `pytorch` channel is a note
    of its own: that channel ended with 2.5 and holds an environment back for good.

    ## Sources

    - https://github.com/pytorch/pytorch/issues/138506
    - https://conda-forge.org/docs/user/tipsandtricks/
    """
    coupled = [package for package in conda.packages if package.name in _COUPLED]
    forge = _from(coupled, "conda-forge")
    defaults = [*_from(coupled, "pkgs/main"), *_from(coupled, "defaults")]
    if forge and defaults:
        yield Finding(
            severity=Severity.RISKS,
            confidence=Confidence.POSSIBLE,
            summary=f"{', '.join(defaults)} from defaults, {', '.join(forge)} from "
            "conda-forge",
            evidence={"conda-forge": forge, "defaults": defaults},
            remedies=(_one_channel(conda, *forge, *defaults),),
        )
    torch = conda.find("pytorch")
    if torch is not None and torch.channel == "pytorch":
        yield Finding(
            severity=Severity.NOTE,
            summary=f"pytorch {torch.version} comes from the channel `pytorch`, which "
            f"ended with {_LAST}",
            evidence={"pytorch": torch.version},
            remedies=(_one_channel(conda, "pytorch"),),
        )


def _from(packages: list[CondaPackage], channel: str) -> list[str]:
    return [package.name for package in packages if package.channel == channel]


def _one_channel(conda: Conda, *names: str) -> Remedy:
    return Remedy(
        title="Take all of them from conda-forge",
        argv=(
            *("conda", "install", "--prefix", conda.prefix or "PREFIX"),
            *("--override-channels", "--channel", "conda-forge", *names),
        ),
        lasts=Lasts.ALWAYS,
        advice=True,
    )
