"""PDR844: does a library need a newer libstdc++ than the one it would get?"""

from pipedoctor.check import CannotJudge, Finding, Findings, Remedy, Severity, check
from pipedoctor.facts import (
    Interpreter,
    Libraries,
    Site,
    TorchImport,
    Unmet,
    Variables,
)
from pipedoctor.lazy_pattern import compile_lazily
from pipedoctor_checks._shared import library_description
from pipedoctor_checks.libraries._newer_system import get_newer_libstdcxx

_LIBSTDCXX_ERROR = compile_lazily(r"[`'\"]?((?:GLIBCXX|CXXABI)_[\d.]+)'? not found")


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
    Compare the libstdc++ versions that libraries need with the one they would load.

    ## Why it hurts

    `libstdc++.so.6: version 'GLIBCXX_3.4.30' not found`: the import fails. Often a
    newer libstdc++ is installed, but an older one is found first.

    ## How it is judged

    By the symbol versions inside the files of torch, torchvision, numpy, Pillow and
    OpenCV, against those that the libstdc++ defines which the linker would load. Or by
    the error of the import of torch.

    ## Sources

    - https://gcc.gnu.org/onlinedocs/libstdc++/manual/abi.html
    - https://man7.org/linux/man-pages/man8/ld.so.8.html
    """
    error = _LIBSTDCXX_ERROR.search(torch_import.error) if torch_import else None
    if libraries is None and error is None:
        raise CannotJudge(lacks=Libraries)
    unmet = [u for u in libraries.unmet if "stdc++" in u.library] if libraries else []
    if unmet:
        worst = max(unmet, key=lambda u: len(u.versions))
        wanted = worst.versions[-1]
        summary = (
            f"{worst.wanted_by} needs {wanted}, but the libstdc++ from"
            f" {library_description.describe_source(worst.found_by)} ends at {worst.newest}"
        )
    elif error is not None:
        worst, wanted = None, error[1]
        summary = f"torch needs {wanted}, which the loaded libstdc++ lacks"
    else:
        return
    yield Finding(
        severity=Severity.BREAKS,
        summary=summary,
        evidence={
            "unmet": {u.wanted_by: list(u.versions) for u in unmet},
            "library": worst.path if worst else "",
            "said": error.string if error else "",
        },
        remedies=(
            *_unset_library_path(worst, variables, site),
            *get_newer_libstdcxx(interpreter, site, wanted),
        ),
    )


def _unset_library_path(
    worst: Unmet | None, variables: Variables | None, site: Site | None
) -> tuple[Remedy, ...]:
    name = "LD_LIBRARY_PATH"
    if worst is None or worst.found_by != name:
        return ()
    value = variables.values.get(name, "") if variables else ""
    folder = worst.path.rpartition("/")[0]
    return library_description.remove_from_variable(site, name, value, {folder})
