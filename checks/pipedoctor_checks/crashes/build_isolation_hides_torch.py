"""PDR967: an extension of torch is built where its build does not see torch."""

import re
import shlex

from pipedoctor.check import Remedy
from pipedoctor.facts.log import Log
from pipedoctor.lazy_pattern import compile_lazily
from pipedoctor_checks._shared.advice import advise_user
from pipedoctor_checks.crashes._log_check import log_check

_CAUSE = "build_isolation_hides_torch"
_WORD = compile_lazily(r"[\w./@+:=\[\],<>~!-]+")
_NOT_REPEATED = frozenset({"--no-build-isolation"})
_TOOLS = ("setuptools", "wheel", "packaging", "ninja", "psutil")


def _find_wanted(log: Log) -> tuple[str, ...]:
    """What was asked for on pip's line, else the package whose build failed."""
    failed = log.find_values(_CAUSE, "failed") or log.find_values(_CAUSE, "fetched")[-1:]
    if failed:
        return (failed[0].replace("_", "-"),)
    asked = log.find_value(_CAUSE, "asked")
    try:
        words = [word for word in shlex.split(asked) if word not in _NOT_REPEATED]
    except ValueError:  # a quote that is not closed
        return ()
    return tuple(words) if words and all(map(_WORD.fullmatch, words)) else ()


def _choose_remedies(log: Log) -> tuple[Remedy, ...]:
    """The same installation, in an environment that has torch already."""
    wanted = _find_wanted(log)
    pip = ("python", "-m", "pip", "install")
    first = advise_user(
        "Install torch and what the build needs into the environment", argv=(*pip, "torch", *_TOOLS)
    )
    if log.tool == "uv-project" and wanted and not wanted[0].startswith("-"):
        name = re.split(r"[=<>~!\[]", wanted[0])[0]
        table = f"[tool.uv.extra-build-dependencies]\n{name} = "
        return (
            advise_user(
                f"Declare in pyproject.toml that the build of {name} needs torch",
                snippet=f'{table}[{{ requirement = "torch", match-runtime = true }}]',
            ),
            advise_user("Then build it again", argv=("uv", "sync")),
        )
    if not wanted:
        return first, advise_user("Then repeat the installation with --no-build-isolation")
    title = f"Then build {shlex.join(wanted)} with that torch"
    return first, advise_user(title, argv=(*pip, "--no-build-isolation", *wanted))


@log_check(
    "PDR967",
    "A build does not see the installed torch",
    summary="A package imports torch while it is built, where torch is not visible",
    remedies=_choose_remedies,
)
def build_isolation_hides_torch() -> None:
    """
    Find packages whose build needs torch, built in an environment without it.

    ## Why it hurts

    pip and uv build a package in a temporary environment that holds only what the
    package declares. flash-attn, xformers, torch-scatter and others import torch while
    they are built, and do not declare it: the build fails, however often torch is
    installed.

    ## How it is judged

    `No module named 'torch'` is raised in lines of a build, or uv says that the package
    depends on torch without declaring it.

    ## Sources

    - https://github.com/Dao-AILab/flash-attention/issues/246
    - https://pip.pypa.io/en/stable/reference/build-system/#disabling-build-isolation
    - https://docs.astral.sh/uv/concepts/projects/config/#build-isolation
    """
