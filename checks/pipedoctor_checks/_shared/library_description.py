"""Describe where a library comes from, and how to remove that source."""

import re
import shlex

from pipedoctor.check import Lasts, Place, Remedy, environment, select_remedies
from pipedoctor.facts import Library, Site
from pipedoctor.facts.site import Launcher

_SOURCES = {
    "DT_RPATH": "the run path embedded in the file that loads it",
    "LD_LIBRARY_PATH": "LD_LIBRARY_PATH",
    "LD_PRELOAD": "LD_PRELOAD",
    "DT_RUNPATH": "the run path embedded in the file that loads it",
    "cache": "the system's library cache",
    "default": "the system's library directories",
    "path": "its full path",
    "torch": "torch's own search",
}


def describe_source(found_by: str) -> str:
    """Describe where the linker found it."""
    return _SOURCES.get(found_by, found_by)


def library_folder(library: Library) -> str:
    """The folder in which it was found."""
    return library.path.rpartition("/")[0]


def format_library(library: Library) -> str:
    """Format a library as ``libcudnn.so.9 9.23.0``, as far as the version is known."""
    return f"{library.soname} {library.version}".strip()


def remove_from_variable(
    site: Site | None, name: str, value: str, paths: set[str]
) -> tuple[Remedy, ...]:
    """Start the job with the variable without these paths, or unset."""
    parts = re.split("[: ]+" if name == "LD_PRELOAD" else ":", value)
    rest = ":".join(part for part in parts if part not in paths)
    title = f"Remove {' and '.join(sorted(paths))} from {name}"
    here = Remedy(
        title=title,
        snippet=f"export {name}={shlex.quote(rest)}" if rest else f"unset {name}",
        lasts=Lasts.PROCESS,
        place=Place.LAUNCHER,
        fits=(Launcher.BARE, Launcher.SLURM, Launcher.HOSTED),
        advice=True,
    )
    others = environment(title, **{name: rest})[1:]
    return select_remedies(site.launcher if site else None, here, *others)
