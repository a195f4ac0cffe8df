"""PDR852: are Pillow and Pillow-SIMD installed over each other?"""

from pipedoctor.check import Finding, Findings, Severity, check
from pipedoctor.facts import ImageStack, Interpreter, Packages
from pipedoctor_checks import _pip


@check("PDR852", "Pillow and Pillow-SIMD are installed over each other")
def pillow_simd_shadowed(
    packages: Packages, images: ImageStack | None, interpreter: Interpreter | None, /
) -> Findings:
    """
    Look for Pillow and Pillow-SIMD in one environment.

    ## Why it hurts

    Both write the folder `PIL/`: the one that was installed last is what runs, with
    files of the other left in between. Since Pillow-SIMD does not count as Pillow,
    every `pip install torchvision` or `timm` silently puts Pillow back over it.

    ## How it is judged

    By the metadata of both; `PIL/_version.py` tells which one was written last. For
    what Pillow-SIMD speeds up (resizing and filters, not the decoding of JPEG) and
    what it lacks see `pillow-outdated`.

    ## Sources

    - https://github.com/uploadcare/pillow-simd
    - https://packaging.python.org/en/latest/specifications/recording-installed-packages/
    """
    plain, fork = packages.find("pillow"), packages.find("pillow-simd")
    if plain is None or fork is None:
        return
    runs = images.pillow_version if images is not None else ""
    last = ""
    if runs and plain.version != fork.version and runs in {plain.version, fork.version}:
        winner = fork.name if runs == fork.version else plain.name
        last = f": {winner} was written last and is what runs"
    yield Finding(
        severity=Severity.RISKS,
        summary=f"pillow {plain.version} and pillow-simd {fork.version} share the "
        f"folder PIL{last}",
        evidence={
            "pillow": plain.version,
            "pillow-simd": fork.version,
            "PIL/_version.py": runs,
        },
        remedies=(
            _pip.uninstall(interpreter, "Remove both", "pillow", "pillow-simd"),
            _pip.install(interpreter, "Then install the one you want", "pillow"),
        ),
    )
