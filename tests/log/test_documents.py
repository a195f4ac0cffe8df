"""Articles and manuals, and those who tell of a failure of their own."""

import pytest

from pipedoctor.log.documents import find_document_lines

LESSON = (
    "A worker hands its batch through shared memory.\n"
    "If you see 'Bus error', that is full.\n"
    "Use a larger one, or fewer workers.\n"
)
OVER = (
    "The loader was killed on Monday.\n"
    "The root cause was a limit of 2019.\n"
    "It was raised, and jobs have been stable since then.\n"
)
GERMAN = (
    "Wer im Container trainiert, kennt die Meldung.\n"
    "Man sieht sie, wenn der Speicher zu klein ist.\n"
    "Abhilfe ist ein größeres Limit für den Pod.\n"
)
README = "# fast\n## Usage\n" + "- It is fast.\n" * 6


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (LESSON, {1, 2, 3}),
        (f"{LESSON}\n    Bus error (core dumped)\n", {1, 2, 3, 5}),
        (f"{LESSON}\n```\nTraceback (most recent call last):\nx\n```\n", {1, 2, 3, 5, 6, 7, 8}),
        (f"{LESSON}\nBus error\n", {1, 2, 3}),
        (
            f"{LESSON}Traceback (most recent call last):\n  f\n\nThe end is near you.\n",
            {1, 2, 3, 7},
        ),
        (f"{LESSON}I get the same error here.\n", set[int]()),
        (f"{LESSON}Any idea?\n", set[int]()),
        (f"{LESSON}The job hangs after an epoch.\n", set[int]()),
        (f"{LESSON}If I get it, I call you.\n", {1, 2, 3, 4}),
        (LESSON.replace("If you see", "We saw").replace("Use", "There is"), set[int]()),
        (LESSON.partition("\n")[0], set[int]()),
        (LESSON * 501, set[int]()),
        (OVER, {1, 2, 3}),
        (f"{OVER}02:12  First alert of the loader.\n", {1, 2, 3, 4}),
        (f"{OVER}It is still killed on gpu07.\n", set[int]()),
        (f"{OVER}Status: open\n", set[int]()),
        (GERMAN, {1, 2, 3}),
        (f"{GERMAN}Weiß jemand Rat?\n", set[int]()),
        (README, set(range(1, 9))),
        (README.replace("## Usage", "## Steps to reproduce"), set[int]()),
        ("# fast\n" + "- It is fast.\n" * 6, set[int]()),
        ("INFO the set is read\nINFO the loss is 2.1 if you ask\nINFO use it\n" * 3, set[int]()),
        (
            'Ann: What would you do?\nBob: I would look at dmesg.\nAnn: You see "Killed" there.\n',
            {1, 2, 3},
        ),
        (f"{README}step of the run\n" + "step 1 loss 3\n" * 300, set[int]()),
    ],
)
def test_lines_of_documents(text: str, lines: set[int]) -> None:
    assert set(find_document_lines(text.split("\n"))) == lines
