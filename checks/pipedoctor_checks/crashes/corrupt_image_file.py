"""PDR956: a file of the dataset is truncated, damaged, or not an image."""

import posixpath
import shlex

from pipedoctor.check import Remedy, in_code, shell
from pipedoctor.facts.log import Log
from pipedoctor.lazy_pattern import compile_lazily
from pipedoctor_checks._shared.advice import advise_user
from pipedoctor_checks.crashes._log_check import log_check

_CAUSE = "corrupt_image_file"
_QUOTED = compile_lazily(r"['\"](?P<path>[^'\"\n]{1,300})['\"]")
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


_EMPTY = "Delete the empty files, and get them again"
_PAGES = "Delete what is a page or a message under the name of an image, and get those again"
_PAGE = r'<html|<\?xml|<error|"error'
_POINTERS = "Get the images themselves: these are pointers of Git LFS"


def _replace_others(log: Log, file: str) -> tuple[Remedy, ...]:
    """What the log shows to be no image at all, and seldom is the only one."""
    seen = log.find_ids(_CAUSE)
    folder = shell((posixpath.dirname(file) or ".",))
    kind = posixpath.splitext(file)[1] or ".jpg"
    if "is-pointer" in seen:
        lines = f"git lfs install\ngit -C {folder} lfs pull"
        return (advise_user(_POINTERS, snippet=lines),)
    if "is-page" in seen:
        pages = f"grep -rliE --include={shlex.quote(f'*{kind}')} '{_PAGE}' {folder}"
        return (advise_user(_PAGES, snippet=f"{pages} | xargs -r -d '\\n' rm -v --"),)
    if "is-empty" in seen:
        return (advise_user(_EMPTY, snippet=f"find {folder} -type f -empty -print -delete"),)
    return ()


def _choose_remedies(log: Log) -> tuple[Remedy, ...]:
    """In the folder of the file that the log names; what is cut short can be read all the same."""
    file = _read_name(log.find_value(_CAUSE, "file"))
    if others := _replace_others(log, file):
        return others
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
    if "truncated" in log.find_ids(_CAUSE):
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


def _read_name(text: str) -> str:
    """The path in what stands behind `image file`: Pillow shows a reader around it."""
    found = _QUOTED.search(text)
    return found["path"] if found else text.strip("'\" ")


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
