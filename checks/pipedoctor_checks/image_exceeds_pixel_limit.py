"""PDR957: An image is larger than Pillow's limit."""

from pipedoctor.check import Findings, check
from pipedoctor.facts import Site
from pipedoctor.facts.log import Log
from pipedoctor.remedy import in_code
from pipedoctor_checks._told import told

_REMEDIES = (
    in_code(
        "For data that you trust, raise the limit",
        "Image.MAX_IMAGE_PIXELS = 500_000_000",
    ),
    in_code("Or cut the images into tiles, or make them smaller"),
)


@check("PDR957", "An image is larger than Pillow's limit")
def image_exceeds_pixel_limit(log: Log, site: Site | None, /) -> Findings:
    """
    Find images that Pillow takes for decompression bombs.

    ## Why it hurts

    Pillow refuses images of more than twice `MAX_IMAGE_PIXELS`, and warns from that
    number on.

    ## How it is judged

    Pillow says so, with the number of pixels.

    ## Sources

    - https://pillow.readthedocs.io/en/stable/reference/Image.html
    - https://github.com/deepfates/memery/issues/10
    """
    yield from told(
        log,
        site,
        "image_exceeds_pixel_limit",
        (
            "An image has more pixels than Pillow's guard against decompression "
            "bombs allows"
        ),
        *_REMEDIES,
    )
