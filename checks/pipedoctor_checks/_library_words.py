"""Say where a library comes from, and what takes it away again."""

import re
import shlex

from pipedoctor.facts import Library, Site
from pipedoctor.facts.site import Habitat
from pipedoctor.remedy import Lasts, Place, Remedy, environment, fitting

_PLACES = {
    "DT_RPATH": "the path inside the file that wants it",
    "LD_LIBRARY_PATH": "LD_LIBRARY_PATH",
    "LD_PRELOAD": "LD_PRELOAD",
    "DT_RUNPATH": "the path inside the file that wants it",
    "cache": "the system's cache of libraries",
    "default": "the system's folders",
    "path": "its full name",
    "torch": "torch's own search",
}


def come_by(found_by: str) -> str:
    """Where the linker has it from, in words."""
    return _PLACES.get(found_by, found_by)


def folder(library: Library) -> str:
    """The folder in which it was found."""
    return library.path.rpartition("/")[0]


def told(library: Library) -> str:
    """``libcudnn.so.9 9.23.0``, as far as the version is known."""
    return f"{library.soname} {library.version}".strip()


def without_variable(
    site: Site | None, name: str, value: str, unwanted: set[str]
) -> tuple[Remedy, ...]:
    """Start the job with the variable less these paths, or without it at all."""
    parts = re.split("[: ]+" if name == "LD_PRELOAD" else ":", value)
    rest = ":".join(part for part in parts if part not in unwanted)
    title = f"Take {' and '.join(sorted(unwanted))} out of {name}"
    here = Remedy(
        title=title,
        snippet=f"export {name}={shlex.quote(rest)}" if rest else f"unset {name}",
        lasts=Lasts.PROCESS,
        place=Place.LAUNCHER,
        fits=(Habitat.BARE, Habitat.SLURM, Habitat.HOSTED),
        advice=True,
    )
    others = environment(title, **{name: rest})[1:]
    return fitting(site.habitat if site else None, here, *others)


def by_hand(title: str, place: Place = Place.HERE, snippet: str = "") -> Remedy:
    """Advice that no command line says better."""
    return Remedy(
        title=title, snippet=snippet, lasts=Lasts.ALWAYS, place=place, advice=True
    )
