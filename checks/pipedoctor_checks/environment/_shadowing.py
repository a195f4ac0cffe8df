"""What a folder on the import path hides in the folders after it."""

import msgspec

from pipedoctor.facts import Packages

_MAX_NAMES = 4


class ShadowedPackages(msgspec.Struct, frozen=True):
    """Names of distributions: those that hide another version, and the others."""

    hidden: dict[str, str]
    """Name -> ``2.0 hides 2.13.0``."""
    added: tuple[str, ...]

    def describe(self, first: list[str]) -> str:
        """``hides numpy (1.26 hides 2.4)`` or ``adds torch``; `first` come first."""
        names = tuple(self.hidden) or self.added
        ordered = sorted(names, key=lambda name: (name not in first, name))
        shown = [
            f"{name} ({self.hidden[name]})" if self.hidden else name
            for name in ordered[:_MAX_NAMES]
        ]
        rest = len(ordered) - len(shown)
        verb = "hides" if self.hidden else "adds"
        return f"{verb} {', '.join(shown)}{f' and {rest} more' if rest else ''}"


def find_shadowed(packages: Packages, folders: tuple[str, ...]) -> ShadowedPackages:
    """Compare distributions of these folders with all later ones on the path."""
    hidden: dict[str, str] = {}
    added: list[str] = []
    copies = packages.group_by_name()
    for entry in packages.entries:
        if entry.location not in folders:
            continue
        named = copies[entry.name]
        others = [copy.version for copy in named if copy.location not in folders]
        differ = [version for version in others if version != entry.version]
        if differ and named[0] == entry:
            hidden[entry.name] = f"{entry.version} hides {differ[0]}"
        elif not others:
            added.append(entry.name)
    return ShadowedPackages(hidden, tuple(added))
