"""PDR957: An image is larger than Pillow's limit."""

from pipedoctor.check import in_code
from pipedoctor_checks.crashes._log_check import log_check


@log_check(
    "PDR957",
    "An image is larger than Pillow's limit",
    summary="An image has more pixels than Pillow's limit against decompression bombs allows",
    remedies=(
        in_code(
            "Raise the limit for data that you trust",
            "from PIL import Image\n\nImage.MAX_IMAGE_PIXELS = 500_000_000",
        ),
        in_code("Alternatively cut the images into tiles, or resize them"),
    ),
)
def image_exceeds_pixel_limit() -> None:
    """
    Find images that Pillow rejects as decompression bombs.

    ## Why it hurts

    Pillow rejects images of more than twice `MAX_IMAGE_PIXELS`, and warns from that
    number on.

    ## How it is judged

    Pillow reports it, with the number of pixels.

    ## Sources

    - https://pillow.readthedocs.io/en/stable/reference/Image.html
    - https://github.com/deepfates/memery/issues/10
    """
