"""Failures that somebody provokes on purpose: in a session, or in a test of a program."""

import re
from collections.abc import Iterator
from itertools import pairwise

_PROMPT = re.compile(r"^(?:>>> ?|In \[\d{1,5}\]: )")
_PURPOSE = re.compile(
    r"(?i)\bon purpose\b|\bdeliberate\w*|\bprovok\w+|\bintentional\w*|\bas expected\b"
    r"|\bexpect(?:ed)? to (?:fail|die|run out|raise)|\bshould (?:fail|raise|die|run out|blow)\b"
    r"|\blet'?s (?:break|provoke|fill|exhaust)\b"
)
_ANNOUNCED = re.compile(r"(?i)\b(?:must|should|has to|expect(?:ed|ing)?(?: \w+)? to) fail\b")
_CONFIRMED = re.compile(r"(?i)\bfail(?:ed|s|ure)? as expected\b|\bexpected failure\b.{0,60}\bok\b")


def find_experiments(rows: list[str]) -> Iterator[int]:
    """What an interactive session provokes, if it goes on behind it."""
    prompts = [number for number, row in enumerate(rows, 1) if _PROMPT.match(row)]
    for number, following in pairwise(prompts):
        part = rows[number - 1 : following - 1]
        if any(_PURPOSE.search(row) for row in part):
            yield from range(number, following)
            after = next((one for one in prompts if one > following), 0)
            yield from range(following, after)


def find_expected(rows: list[str]) -> Iterator[int]:
    """What was announced that it must fail, and then failed as expected."""
    announced = 0
    for number, row in enumerate(rows, 1):
        if _ANNOUNCED.search(row):
            announced = number
        elif announced and _CONFIRMED.search(row):
            yield from range(announced, number + 1)
            announced = 0
