"""PDR856: is this a torchvision whose image decoding goes away?"""

from pipedoctor.check import CannotJudge, Finding, Findings, Severity, check
from pipedoctor.facts import Interpreter, Packages
from pipedoctor.versions import reaches
from pipedoctor_checks import _pip

_SINCE = "0.29"
_CODEC = "0.16"
"""The first TorchCodec that decodes images."""


@check("PDR856", "torchvision.io's image functions are deprecated")
def torchvision_io_deprecated(
    packages: Packages, interpreter: Interpreter | None, /
) -> Findings:
    """
    Note a torchvision whose `io.decode_image` and its like are on their way out.

    ## Why it hurts

    It does not yet: `torchvision.io.read_image`, `decode_image`, `decode_jpeg` and
    `write_jpeg` warn at every use, in every worker. Code that is written now should use
    TorchCodec.

    ## How it is judged

    torchvision 0.29 or newer, without a TorchCodec (0.16 or newer) that decodes images.
    Whether your code calls these functions is not looked at. Before 0.29 they are
    right as they are.

    ## Sources

    - https://meta-pytorch.org/torchcodec/0.16/generated_examples/migration/torchvision_migration.html
    """
    vision, codec = packages.find("torchvision"), packages.find("torchcodec")
    if vision is None:
        message = "torchvision is not installed"
        raise CannotJudge(message)
    if not packages.complete or not reaches(vision.version, _SINCE):
        return
    if codec is not None and reaches(codec.version, _CODEC):
        return
    yield Finding(
        severity=Severity.NOTE,
        summary=f"torchvision {vision.version} deprecates decoding images with "
        "torchvision.io; TorchCodec takes over",
        evidence={
            "torchvision": vision.version,
            "torchcodec": codec.version if codec else "",
        },
        remedies=(
            _pip.install(
                interpreter,
                "Install TorchCodec, if your code calls torchvision.io",
                f"torchcodec>={_CODEC}",
            ),
        ),
    )
