"""PDR214: a program is started for every item."""

from pipedoctor_checks.item.subprocess_per_item import subprocess_per_item
from tests.checks.code_samples import COMPOSE_IN_ITEM, find, frames, make_tests

FFMPEG = "import ffmpeg\n"
SILENT = {
    "once": frames(init="os.system('true')"),
    "a chain that is not run": FFMPEG + frames("x = ffmpeg.input('a').output('pipe:')"),
    "a chain of something else": frames("x = self.files.input('a').output('pipe:').run()"),
}
SPEAKS = {
    "a chain": FFMPEG + frames("x = ffmpeg.input('a').output('pipe:').run()"),
    "a chain in parts": FFMPEG
    + frames(
        "x = ffmpeg.input('a')\ny = x.filter('fps')\nz, _ = y.output('pipe:').run(quiet=True)"
    ),
    "a shell": frames("os.system('ffmpeg')"),
    "the length of a sound, by sox": "import sox\n" + frames("sox.file_info.duration('a.wav')"),
}
test_silent, test_speaks = make_tests(subprocess_per_item, SILENT, SPEAKS)


def test_programs_of_a_file_are_one_finding() -> None:
    both = COMPOSE_IN_ITEM.format(name="One", many="1") + COMPOSE_IN_ITEM.format(
        name="Two", many="1"
    )

    (finding,) = find(subprocess_per_item, both)

    assert finding.summary == ("One.__getitem__ and 1 more start a program for every item")
