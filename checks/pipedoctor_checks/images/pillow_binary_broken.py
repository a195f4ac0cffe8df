"""PDR850: can Pillow's compiled part be loaded?"""

from pipedoctor.check import Confidence, Finding, Findings, NotApplicable, Severity, check
from pipedoctor.facts import ImageStack, Interpreter, Libraries
from pipedoctor_checks._shared import pip_command


@check("PDR850", "Pillow's compiled part cannot be loaded", after=("PDR852",))
def pillow_binary_broken(
    images: ImageStack, libraries: Libraries | None, interpreter: Interpreter | None, /
) -> Findings:
    """
    Compare Pillow's compiled part with its Python part, this Python and its libraries.

    ## Why it hurts

    `cannot import name '_imaging' from 'PIL'`: programs that read images do not start.
    Causes are two copies installed over each other, an interrupted installation, or a
    package folder that is used with another Python.

    ## How it is judged

    `PIL/_imaging` must exist for this version of Python, must have the version given in
    `PIL/_version.py` (Pillow compares both on import), and must find the libraries it
    was linked with. Nothing is imported for this.

    ## Sources

    - https://github.com/python-pillow/Pillow/blob/main/src/PIL/Image.py
    - https://pillow.readthedocs.io/en/stable/installation/building-from-source.html
    """
    pillow = images.find("pillow") or images.find("pillow-simd")
    if pillow is None and not images.pillow_version:
        message = "Pillow is not installed"
        raise NotApplicable(message)
    missing = [
        entry.soname
        for entry in (libraries.missing if libraries is not None else ())
        if entry.wanted_by.startswith(("PIL/", "pillow.libs/"))
    ]
    why = images.pillow_broken
    if missing:
        why = why or f"{', '.join(missing)}, which it is linked with, cannot be found"
    if not why:
        return
    name = pillow.name if pillow is not None else "pillow"
    which = f"{name} {images.pillow_version}".rstrip()
    yield Finding(
        severity=Severity.BREAKS,
        summary=f"{which} cannot be imported: {why}",
        evidence={"binary": images.pillow_binary, "missing": missing},
        confidence=Confidence.LIKELY,
        remedies=(
            pip_command.reinstall(
                interpreter,
                "Reinstall it completely",
                f"{name}=={pillow.version}" if pillow and images.pillow_binary else name,
            ),
        ),
    )
