"""PDR956: a file of the data set is truncated, damaged, or no image at all."""

from pipedoctor.check import Findings, check
from pipedoctor.facts import Site
from pipedoctor.facts.log import Log
from pipedoctor.remedy import in_code
from pipedoctor_checks._told import told

_REMEDIES = (
    in_code(
        "Load every image once before training, and see which fail",
        "for path in paths:\n    Image.open(path).load()",
    ),
    in_code(
        "Replace or remove the file; to go on meanwhile",
        "ImageFile.LOAD_TRUNCATED_IMAGES = True",
    ),
)


@check("PDR956", "An image file is damaged")
def corrupt_image_file(log: Log, site: Site | None, /) -> Findings:
    """
    Find a broken or truncated image in the data set.

    ## Why it hurts

    One damaged file stops an epoch, often after hours.

    ## How it is judged

    The decoder says so. A text file in its place (a pointer of Git LFS, a page of
    an error) reads the same.

    ## Sources

    - https://pillow.readthedocs.io/en/stable/reference/ImageFile.html
    - https://github.com/junyanz/pytorch-CycleGAN-and-pix2pix/issues/876
    """
    yield from told(
        log,
        site,
        "corrupt_image_file",
        "A file of the data set is truncated, damaged, or no image at all",
        *_REMEDIES,
    )
