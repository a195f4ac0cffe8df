"""PDR856: is this a torchvision whose image decoding is deprecated?"""

from pipedoctor.check import Finding, Findings, NotApplicable, Severity, check
from pipedoctor.facts import Interpreter, Packages
from pipedoctor.versions import is_at_least
from pipedoctor_checks._shared import pip_command

_DEPRECATED_SINCE = "0.29"
_TORCHCODEC_SINCE = "0.16"
"""The first TorchCodec that decodes images."""


@check("PDR856", "torchvision.io's image functions are deprecated", background=True)
def torchvision_io_deprecated(packages: Packages, interpreter: Interpreter | None, /) -> Findings:
    """
    Report a torchvision whose `io.decode_image` and similar functions are deprecated.

    ## Why it hurts

    It does not hurt yet: `torchvision.io.read_image`, `decode_image`, `decode_jpeg` and
    `write_jpeg` warn at every use, in every worker. New code should use TorchCodec.

    ## How it is judged

    torchvision 0.29 or newer, without a TorchCodec (0.16 or newer) that decodes images.
    Whether your code calls these functions is not checked. Before 0.29 they are not
    deprecated.

    ## Sources

    - https://meta-pytorch.org/torchcodec/0.16/generated_examples/migration/torchvision_migration.html
    """
    vision, codec = packages.find("torchvision"), packages.find("torchcodec")
    if vision is None:
        message = "torchvision is not installed"
        raise NotApplicable(message)
    if not packages.complete or not is_at_least(vision.version, _DEPRECATED_SINCE):
        return
    if codec is not None and is_at_least(codec.version, _TORCHCODEC_SINCE):
        return
    yield Finding(
        severity=Severity.NOTE,
        summary=f"torchvision {vision.version} deprecates decoding images with torchvision.io;"
        " TorchCodec replaces it",
        evidence={
            "torchvision": vision.version,
            "torchcodec": codec.version if codec else "",
        },
        remedies=(
            pip_command.install(
                interpreter,
                "Install TorchCodec, if your code calls torchvision.io",
                f"torchcodec>={_TORCHCODEC_SINCE}",
            ),
        ),
    )
