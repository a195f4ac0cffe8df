"""Which versions of symbols our files want and the libraries they get lack."""

from collections.abc import Iterable, Iterator

from pipedoctor.collect.elf import versions
from pipedoctor.collect.library_names import Naming
from pipedoctor.collect.linker import Linker
from pipedoctor.collect.mounts import legible
from pipedoctor.facts import Unmet
from pipedoctor.versions import numbers

_VERSIONED = ("libstdc++.so.6", "libc.so.6", "libm.so.6", "libgcc_s.so.1")


def unmet(process: Linker, naming: Naming) -> Iterator[Unmet]:
    """Compare the versions of symbols that our files want with what would be there."""
    there = {
        name: (file, frozenset(versions(file.path).defines))
        for name, file in process.loaded.items()
        if name in _VERSIONED
    }
    for file in dict.fromkeys(process.loaded.values()):
        if not naming.bundled(file.path):
            continue
        for library, wanted in versions(file.path).wants.items():
            provider, defined = there.get(library, (None, frozenset[str]()))
            absent = [name for name in wanted if name not in defined]
            if provider is None or not defined or not absent:
                continue
            worst = sorted(absent, key=_age)
            yield Unmet(
                wanted_by=naming.of(file),
                library=library,
                path=legible(str(provider.path)),
                found_by=provider.found_by,
                versions=tuple(worst),
                newest=_newest(defined, worst[-1]),
            )


def _age(name: str) -> tuple[str, tuple[int, ...]]:
    kind, _, number = name.partition("_")
    return kind, numbers(number)


def _newest(defined: Iterable[str], like: str) -> str:
    kind = like.partition("_")[0]
    same = [name for name in defined if name.partition("_")[0] == kind]
    return max(same, key=_age, default="")
