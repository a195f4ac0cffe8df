"""PDR850: can Pillow's compiled part be loaded?"""

from pipedoctor.check import CannotJudge, Confidence, Finding, Findings, Severity, check
from pipedoctor.facts import ImageStack, Interpreter, Libraries
from pipedoctor_checks import _pip


@check("PDR850", "Pillow's compiled part cannot be loaded", after=("PDR852",))
def pillow_binary_broken(
    images: ImageStack, libraries: Libraries | None, interpreter: Interpreter | None, /
) -> Findings:
    """
    Compare Pillow's compiled part with its Python part, this Python and its libraries.

    ## Why it hurts

    `cannot import name '_imaging' from 'PIL'`: nothing that reads images starts. It
    comes from two copies written over each other, an interrupted installation, or a
    folder of packages that is used with another Python.

    ## How it is judged

    `PIL/_imaging` must be there for this version of Python, must carry the version
    that `PIL/_version.py` names (Pillow compares both when it is imported), and must
    find the libraries that it was linked with. Nothing is imported for this.

    ## Sources

    - https://github.com/python-pillow/Pillow/blob/main/src/PIL/Image.py
    - https://pillow.readthedocs.io/en/stable/installation/building-from-source.html
    """
    pillow = images.find("pillow") or images.find("pillow-simd")
    if pillow is None and not images.pillow_version:
        message = "Pillow is not installed"
        raise CannotJudge(message)
    missing = [
        entry.soname
        for entry in (libraries.missing if libraries is not None else ())
        if entry.wanted_by.startswith(("PIL/", "pillow.libs/"))
    ]
    why = images.pillow_broken
    if missing:
        why = why or f"{', '.join(missing)} of its libraries is nowhere to be found"
    if not why:
        return
    name = pillow.name if pillow is not None else "pillow"
    yield Finding(
        severity=Severity.BREAKS,
        summary=f"{name} {images.pillow_version} cannot be imported: {why}",
        evidence={"binary": images.pillow_binary, "missing": missing},
        confidence=Confidence.LIKELY,
        remedies=(_pip.reinstall(interpreter, "Install it again, whole", name),),
    )
