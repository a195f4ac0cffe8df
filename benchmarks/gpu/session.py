"""What a part is given: commands, folders, time; and what it says back."""

import json
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.gpu.processes import Completed, run_command
from benchmarks.gpu.results import NOT_POSSIBLE, RIGHT, WRONG, Results

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = Path(__file__).parent / "programs"


@dataclass(frozen=True)
class Place:
    """Where the run has its environment; travels to each part as JSON."""

    out: str
    scratch: str
    python: str
    """Of the environment that has pipedoctor and sees the machine's packages."""
    machine_python: str
    """The interpreter with torch, which is examined."""
    pipedoctor: str
    wheels: str
    environ: dict[str, str] = field(default_factory=dict[str, str])
    dry_run: bool = False


class Session:
    """One part at work; every command runs within what is left of its time."""

    def __init__(self, place: Place, part: str, until: float) -> None:
        self.place, self.part, self.until = place, part, until
        self.results = Results(Path(place.out))
        self.scratch = Path(place.scratch)

    @property
    def left(self) -> float:
        """Seconds until the part is ended."""
        return self.until - time.monotonic()

    @property
    def device(self) -> str:
        """The CPU stands in for the GPU where a dry run has none."""
        return "cpu" if self.place.dry_run else "cuda"

    @property
    def examined(self) -> list[str]:
        """Options of `check`: the environment with torch, in a dry run one of CUDA by name."""
        if self.place.dry_run:
            return ["--quick", "--env", str(self.scratch / "stub" / "env")]
        return ["--python", self.place.machine_python]

    def run(
        self,
        argv: Sequence[str],
        limit: float,
        *,
        given: str = "",
        add: Mapping[str, str] | None = None,
    ) -> Completed:
        """Run a command outside of the checkout, and put it into the log."""
        environ = {**os.environ, **self.place.environ, **(add or {})}
        done = run_command(
            argv, min(limit, self.left), environ=environ, cwd=self.scratch, given=given
        )
        tail = f"{done.out[-6000:]}\n{done.err[-6000:]}".strip()
        line = f"[{self.part}] $ {' '.join(argv)}  -> {done.code} in {done.seconds:.1f} s"
        self.results.log(f"{line}\n{tail}")
        return done

    def pipedoctor(self, *argv: str, limit: float = 60.0, **more: Any) -> Completed:
        """Run our command."""
        return self.run([self.place.pipedoctor, *argv], limit, **more)

    def program(self, name: str, *argv: str, limit: float, **more: Any) -> Completed:
        """Run one of `programs/` in the environment that has torch and pipedoctor."""
        return self.run([self.place.python, str(PROGRAMS / name), *argv], limit, **more)


def read_json(done: Completed) -> dict[str, Any]:
    """The object that a command printed; empty where it printed none."""
    text = done.out.strip()
    for candidate in (text, text.splitlines()[-1] if text else ""):
        try:
            value = json.loads(candidate)
        except ValueError:
            continue
        if isinstance(value, dict):
            return value
    return {}


def say(right: bool, wrong_because: str = "") -> str:
    """A cell: as we say, or not."""
    return RIGHT if right else f"{WRONG}: {wrong_because}" if wrong_because else WRONG


def say_not_possible(why: str) -> str:
    """A cell: this machine cannot show it."""
    return f"{NOT_POSSIBLE}: {why}"
