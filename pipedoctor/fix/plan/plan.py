"""A plan is data: what changes, from what to what, by which steps, for how long."""

from dataclasses import dataclass

import msgspec

from pipedoctor.fix.plan.current_value import Gauge


class FixRefusedError(Exception):
    """
    A fix that will not be done: one line why, and the lines that would do.

    `lines` are meant to be pasted: commands, or pieces of a manifest.
    """

    def __init__(self, why: str, *lines: str) -> None:
        super().__init__(why)
        self.lines = lines


class StepFailedError(Exception):
    """A step that did not do what it should; says why in one line."""


class NoSuchFixError(Exception):
    """The journal has no fix of this id."""


@dataclass(frozen=True)
class NoChangeNeeded:
    """There is nothing to do, and why."""

    why: str


class CommandStep(msgspec.Struct, frozen=True, kw_only=True, tag="run"):
    """
    A command and the command that reverses it.

    With a gauge, `before` and `after` are what it must show then and then.
    """

    argv: tuple[str, ...]
    undo: tuple[str, ...] = ()
    gauge: Gauge | None = None
    before: str = ""
    after: str = ""


class WriteStep(msgspec.Struct, frozen=True, kw_only=True, tag="write"):
    """A file that holds `content` afterwards; `found` is what it held at planning."""

    path: str
    content: bytes
    found: bytes | None


class RemoveStep(msgspec.Struct, frozen=True, kw_only=True, tag="remove"):
    """Files that are garbage; they go for good, after the check has looked again."""

    paths: tuple[str, ...]


PlanStep = CommandStep | WriteStep | RemoveStep


class FixPlan(msgspec.Struct, frozen=True, kw_only=True):
    """
    What one fix will do.

    Plans are equal when the machine is unchanged between them.
    """

    subject: str
    """What changes: ``/dev/shm``, ``open files of process 4711``."""
    before: str
    after: str
    steps: tuple[PlanStep, ...]
    lasts: str
    root: bool = True
    check: str = ""
    """Code of the check whose finding must be gone; empty: the value is the proof."""
    manual: int = 0
    """Findings of that check that no remedy of ours can clear."""
    irreversible: str = ""
    """Why it cannot be taken back; empty: it can."""
    remarks: tuple[str, ...] = ()
    """What the user should know before consenting."""

    def starts_like(self, other: "FixPlan") -> bool:
        """
        Do both find the same machine, whatever value each would set?

        They touch the same things, which have the same values and contents now.
        """
        return (self.check, self.subject, self._list_starts()) == (
            other.check,
            other.subject,
            other._list_starts(),  # noqa: SLF001  (of the same class)
        )

    def _list_starts(self) -> list[object]:
        return [_describe_start(step) for step in self.steps]


def _describe_start(step: PlanStep) -> object:
    """What a step changes, as it is before; the whole step where that is not known."""
    if isinstance(step, WriteStep):
        return step.path, step.found
    if isinstance(step, CommandStep) and step.gauge is not None:
        return step.gauge, step.before
    return step
