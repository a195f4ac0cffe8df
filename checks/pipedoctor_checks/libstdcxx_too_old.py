"""PDR844: does a library want a newer libstdc++ than it would get?"""

import re

from pipedoctor.check import CannotJudge, Finding, Findings, Severity, check
from pipedoctor.facts import (
    Interpreter,
    Libraries,
    Site,
    TorchImport,
    Unmet,
    Variables,
)
from pipedoctor.remedy import Remedy
from pipedoctor_checks import _library_words
from pipedoctor_checks._newer_system import newer_libstdcxx

_SAID = re.compile(r"[`'\"]?((?:GLIBCXX|CXXABI)_[\d.]+)'? not found")


@check("PDR844", "libstdc++ is older than a library needs")
def libstdcxx_too_old(
    libraries: Libraries | None,
    torch_import: TorchImport | None,
    interpreter: Interpreter | None,
    variables: Variables | None,
    site: Site | None,
    /,
) -> Findings:
    """
    Compare the versions that libraries want of libstdc++ with those it would have.

    ## Why it hurts

    `libstdc++.so.6: version 'GLIBCXX_3.4.30' not found`: the import ends there. Often
    a newer libstdc++ is installed, but an older one comes first.

    ## How it is judged

    By the symbol versions inside the files of torch, torchvision, numpy, Pillow and
    OpenCV, against those that the libstdc++ defines which the linker would take. Or by
    what the import of torch said.

    ## Sources

    - https://gcc.gnu.org/onlinedocs/libstdc++/manual/abi.html
    - https://man7.org/linux/man-pages/man8/ld.so.8.html
    """
    said = _SAID.search(torch_import.error) if torch_import else None
    if libraries is None and said is None:
        message = "libraries: not known, and the import did not complain"
        raise CannotJudge(message)
    unmet = [u for u in libraries.unmet if "stdc++" in u.library] if libraries else []
    if unmet:
        worst = max(unmet, key=lambda u: len(u.versions))
        summary = (
            f"{worst.wanted_by} needs {worst.versions[-1]}, the libstdc++ from "
            f"{_library_words.come_by(worst.found_by)} ends at {worst.newest}"
        )
    elif said is not None:
        worst = None
        summary = f"torch needs {said[1]}, which the libstdc++ that is loaded lacks"
    else:
        return
    yield Finding(
        severity=Severity.BREAKS,
        summary=summary,
        evidence={
            "unmet": {u.wanted_by: list(u.versions) for u in unmet},
            "library": worst.path if worst else "",
            "said": said.string if said else "",
        },
        remedies=(
            *_unshadowed(worst, variables, site),
            *newer_libstdcxx(interpreter, site),
        ),
    )


def _unshadowed(
    worst: Unmet | None, variables: Variables | None, site: Site | None
) -> tuple[Remedy, ...]:
    name = "LD_LIBRARY_PATH"
    if worst is None or worst.found_by != name:
        return ()
    value = variables.values.get(name, "") if variables else ""
    folder = worst.path.rpartition("/")[0]
    return _library_words.without_variable(site, name, value, {folder})
