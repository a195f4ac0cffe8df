"""PDR852: are Pillow and Pillow-SIMD installed over each other?"""

from pipedoctor.check import Finding, Findings, Severity, check
from pipedoctor.facts import ImageStack, Interpreter, Packages
from pipedoctor_checks._shared import pip_command


@check("PDR852", "Pillow and Pillow-SIMD are installed over each other")
def pillow_simd_shadowed(
    packages: Packages, images: ImageStack | None, interpreter: Interpreter | None, /
) -> Findings:
    """
    Look for Pillow and Pillow-SIMD in one environment.

    ## Why it hurts

    Both write the folder `PIL/`: the one that was installed last is used, with leftover
    files of the other. Since pip does not treat Pillow-SIMD as Pillow, every `pip
    install torchvision` or `timm` silently installs Pillow over it again.

    ## How it is judged

    By the metadata of both; `PIL/_version.py` shows which one was written last. For
    what Pillow-SIMD speeds up (resizing and filters, not JPEG decoding) and what it
    lacks see `pillow-outdated`.

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
        last = f": {winner} was written last and is used"
    yield Finding(
        severity=Severity.RISKS,
        summary=f"pillow {plain.version} and pillow-simd {fork.version} share the folder PIL{last}",
        evidence={
            "pillow": plain.version,
            "pillow-simd": fork.version,
            "PIL/_version.py": runs,
        },
        remedies=(
            pip_command.uninstall(interpreter, "Remove both", "pillow", "pillow-simd"),
            pip_command.install(interpreter, "Then install the one you need", "pillow"),
        ),
    )
