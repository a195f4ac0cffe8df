"""PDR956: a file of the dataset is truncated, damaged, or not an image."""

import posixpath

from pipedoctor.check import Remedy, in_code
from pipedoctor.facts.log import Log
from pipedoctor_checks.crashes._log_check import log_check

_LIST_DAMAGED = """from pathlib import Path

from PIL import Image

for path in Path({folder}){home}.rglob("*.*"):
    try:
        Image.open(path).load()
    except (OSError, SyntaxError) as error:
        print(path, error)"""


def _choose_remedies(log: Log) -> tuple[Remedy, ...]:
    """In the folder of the file that the log names."""
    file = log.find_value("corrupt_image_file", "file").strip("'\" ")
    named = file.startswith(("/", "~/")) and "\\" not in file
    folder = repr(posixpath.dirname(file)) if named else '"FOLDER"'
    what = file if named else "the file"
    return (
        in_code(
            "Load every image once before training, and list those that fail",
            _LIST_DAMAGED.format(
                folder=folder, home=".expanduser()" if file.startswith("~/") else ""
            ),
        ),
        in_code(
            f"Replace or remove {what}; to continue in the meantime, accept truncated images",
            "from PIL import ImageFile\n\nImageFile.LOAD_TRUNCATED_IMAGES = True",
        ),
    )


@log_check(
    "PDR956",
    "An image file is damaged",
    summary="A file of the dataset is truncated, damaged, or not an image",
    remedies=_choose_remedies,
)
def corrupt_image_file() -> None:
    """
    Find a broken or truncated image in the dataset.

    ## Why it hurts

    One damaged file stops an epoch, often after hours.

    ## How it is judged

    The decoder reports it. A text file in place of the image (a Git LFS pointer, an
    error page) causes the same error.

    ## Sources

    - https://pillow.readthedocs.io/en/stable/reference/ImageFile.html
    - https://github.com/junyanz/pytorch-CycleGAN-and-pix2pix/issues/876
    """
