"""Which versions of symbols our files want and the libraries they get lack."""

from collections.abc import Iterable, Iterator

from pipedoctor.collect.mounts import escape_path
from pipedoctor.collect.shared_libraries.elf import read_symbol_versions
from pipedoctor.collect.shared_libraries.library_names import LibraryNamer
from pipedoctor.collect.shared_libraries.linker import Linker
from pipedoctor.facts import Unmet
from pipedoctor.versions import parse_version

_VERSIONED_LIBRARIES = ("libstdc++.so.6", "libc.so.6", "libm.so.6", "libgcc_s.so.1")


def find_unmet(process: Linker, naming: LibraryNamer) -> Iterator[Unmet]:
    """Compare the versions of symbols that our files want with what would be there."""
    there = {
        name: (file, frozenset(read_symbol_versions(file.path).defined))
        for name, file in process.loaded.items()
        if name in _VERSIONED_LIBRARIES
    }
    for file in dict.fromkeys(process.loaded.values()):
        if not naming.is_in_environment(file.path):
            continue
        for library, wanted in read_symbol_versions(file.path).required.items():
            provider, defined = there.get(library, (None, frozenset[str]()))
            absent = [name for name in wanted if name not in defined]
            if provider is None or not defined or not absent:
                continue
            worst = sorted(absent, key=_split_version)
            yield Unmet(
                wanted_by=naming.shorten_file(file),
                library=library,
                path=escape_path(str(provider.path)),
                found_by=provider.found_by,
                versions=tuple(worst),
                newest=_find_newest(defined, worst[-1]),
            )


def _split_version(name: str) -> tuple[str, tuple[int, ...]]:
    kind, _, number = name.partition("_")
    return kind, parse_version(number)


def _find_newest(versions: Iterable[str], like: str) -> str:
    kind = like.partition("_")[0]
    same = [name for name in versions if name.partition("_")[0] == kind]
    return max(same, key=_split_version, default="")
