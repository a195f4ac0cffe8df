"""Where to get a newer C library or C++ library, place by place."""

from pipedoctor.check import Remedy, select_remedies, shell
from pipedoctor.facts import Interpreter, Site
from pipedoctor.facts.site import Launcher
from pipedoctor_checks._shared.advice import advise_launch, advise_user

_GCC_OF_SYMBOLS = {
    **dict.fromkeys(("GLIBCXX_3.4.26", "GLIBCXX_3.4.27", "GLIBCXX_3.4.28", "CXXABI_1.3.12"), 9),
    **dict.fromkeys(("GLIBCXX_3.4.29", "CXXABI_1.3.13"), 11),
    "GLIBCXX_3.4.30": 12,
    **dict.fromkeys(("GLIBCXX_3.4.31", "GLIBCXX_3.4.32", "CXXABI_1.3.14"), 13),
    **dict.fromkeys(("GLIBCXX_3.4.33", "CXXABI_1.3.15"), 14),
    "GLIBCXX_3.4.34": 15,
}
"""The first GCC whose libstdc++ defines the version, from its manual's page on the ABI."""
_IMAGE_TITLE = "Build on a base image with a newer distribution"


def get_newer_glibc(site: Site | None) -> tuple[Remedy, ...]:
    """Run on a newer system: the C library cannot be replaced on its own."""
    return select_remedies(
        site.launcher if site else None,
        advise_launch(_IMAGE_TITLE, fits=(Launcher.DOCKER, Launcher.KUBERNETES)),
        advise_launch(
            "Run the job in an Apptainer image of a newer system", fits=(Launcher.SLURM,)
        ),
        advise_launch(
            "Run the job in a container of a newer distribution, or upgrade this one; never"
            " replace glibc by hand",
            fits=(Launcher.BARE,),
        ),
    )


def get_newer_libstdcxx(
    place: Interpreter | None, site: Site | None, version: str = ""
) -> tuple[Remedy, ...]:
    """Install a newer libstdc++ into conda's environment, else use a newer system."""
    if place is not None and place.kind == "conda":
        where = ("conda", "install", "--prefix", place.prefix, "--channel", "conda-forge")
        package = f"libstdcxx-ng{_format_minimum(version)}"
        title = "Install conda-forge's libstdc++ into the environment"
        return (advise_user(title, argv=(*where, package)),)
    return select_remedies(
        site.launcher if site else None,
        advise_launch(
            _IMAGE_TITLE,
            snippet="FROM nvidia/cuda:12.6.3-cudnn-runtime-ubuntu24.04",
            fits=(Launcher.DOCKER, Launcher.KUBERNETES),
        ),
        *_bring_by_conda(version),
        advise_launch(
            "Alternatively load a newer GCC module",
            argv=("module", "load", "gcc"),
            fits=(Launcher.SLURM,),
        ),
    )


def _bring_by_conda(version: str) -> tuple[Remedy, ...]:
    """A folder of its own that the linker looks into first."""
    package = shell((f"libstdcxx-ng{_format_minimum(version)}",))
    lines = (
        f"conda create --yes --prefix $HOME/libstdcxx --channel conda-forge {package}",
        "export LD_LIBRARY_PATH=$HOME/libstdcxx/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}",
    )
    title = "Put a newer libstdc++ into a folder of its own, and look there first"
    places = (Launcher.BARE, Launcher.SLURM, Launcher.HOSTED)
    return (advise_launch(title, snippet="\n".join(lines), fits=places),)


def _format_minimum(version: str) -> str:
    """Without a version conda keeps what it has."""
    release = _GCC_OF_SYMBOLS.get(version)
    return f">={release}" if release else ""
