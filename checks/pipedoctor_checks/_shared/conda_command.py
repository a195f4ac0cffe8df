"""Command lines for conda; printed, never run."""

from collections.abc import Mapping

from pipedoctor.check import Remedy
from pipedoctor_checks._shared.advice import advise_user


def conda_argv(prefix: str, *words: str) -> tuple[str, ...]:
    """`conda WORDS` for this environment; for the active one if the prefix is not known."""
    where = ("--prefix", prefix) if prefix else ()
    return ("conda", words[0], *where, *words[1:])


def reinstall_by_conda(prefix: str, title: str, versions: Mapping[str, str]) -> Remedy:
    """Restore conda's own files of these packages, in the versions that it recorded."""
    names = [f"{name}={version}" if version else name for name, version in versions.items()]
    return advise_user(title, argv=conda_argv(prefix, "install", "--force-reinstall", *names))
