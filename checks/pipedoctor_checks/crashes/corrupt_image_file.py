"""PDR956: a file of the dataset is truncated, damaged, or not an image."""

import posixpath

from pipedoctor.check import Remedy, in_code
from pipedoctor.facts.log import Log
from pipedoctor_checks._shared.advice import advise_user
from pipedoctor_checks.crashes._log_check import log_check

_CAUSE = "corrupt_image_file"
_LIST_DAMAGED = """from pathlib import Path

from PIL import Image

for path in Path({folder}){home}.rglob("*.*"):
    try:
        Image.open(path).load()
    except (OSError, SyntaxError) as error:
        print(path, error)"""
_LIST_ITEMS = """for index in range(len(dataset)):
    try:
        dataset[index]
    except (OSError, SyntaxError) as error:
        print(index, error)"""


def _choose_remedies(log: Log) -> tuple[Remedy, ...]:
    """In the folder of the file that the log names; what is cut short can be read all the same."""
    file = log.find_value(_CAUSE, "file").strip("'\" ")
    named = file.startswith(("/", "~/")) and "\\" not in file
    look = in_code(
        "Load every image once before training, and list those that fail",
        _LIST_DAMAGED.format(
            folder=repr(posixpath.dirname(file)),
            home=".expanduser()" if file.startswith("~/") else "",
        )
        if named
        else _LIST_ITEMS,
    )
    if any(one.signature.endswith("/truncated") for one in log.find_seen(_CAUSE)):
        accept = in_code(
            f"Replace or remove {file if named else 'the file'}; to continue in the meantime,"
            " accept truncated images",
            "from PIL import ImageFile\n\nImageFile.LOAD_TRUNCATED_IMAGES = True",
        )
        return (accept, look)
    if not named:
        return (look,)
    away = advise_user(
        "Take the file out of the dataset, and get it again: an error page or a Git LFS pointer"
        " is no image",
        argv=("mv", "-n", file, f"{file}.damaged"),
    )
    return (away, look)


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
