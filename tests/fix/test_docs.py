"""The how-to speaks of options that exist, and of nothing else."""

import re
from pathlib import Path

from click import Option

from pipedoctor.cli.fix import command

PAGE = Path(__file__).parents[2] / "docs/how-to/fix.md"


def test_every_option_is_in_the_how_to_and_the_other_way_round() -> None:
    named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", PAGE.read_text("utf-8")))
    known = {o for p in command.params if isinstance(p, Option) for o in p.opts}

    assert named - known == {"--quick", "--fix"}  # of `check`
    likewise = {"--data", "--prefetch", "--ranks", "--python", "--env"}  # as `check` explains them
    likewise |= {"--budget", "--step-seconds"}  # as how-to/measure.md does
    assert {o for o in known if o.startswith("--")} - named == likewise
