"""Ask for trials, and turn what comes back into facts."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import msgspec

from pipedoctor.facts import (
    Contents,
    Costs,
    Growth,
    Setting,
    Shares,
    Trial,
    Window,
)
from pipedoctor.tune.session import Lost, Refused, Session

_ENDING = 0.8
"""Seconds that ending a trial may take on top of it."""


def silent(doing: str) -> None:
    """Nobody watches."""
    del doing


class Failed(Exception):  # noqa: N818  (what happened)
    """
    The loader failed with a setting; the message says how, in one line.

    `late`: all that is known is that nothing came in time. `empty`: why it gives no
    batch at all.
    """

    def __init__(self, why: str, *, late: bool = False, empty: str = "") -> None:
        super().__init__(why)
        self.late, self.empty = late, empty

    def final(self, target: str, said: str) -> "Failed | Refused":
        """What it means that the target fails so with its own setting."""
        if self.empty:
            return Refused(f"{target}: {self.empty}")
        return Failed(said, late=self.late)


@dataclass
class Bench:
    """Measures settings of one loaded target until its time is up."""

    session: Session
    until: float
    """Of `time.monotonic`: nothing begins that may end later."""
    watch: Callable[[str], None] = silent
    contents: Contents | None = None
    items: tuple[tuple[float, float], ...] = ()
    wall: Shares | None = None
    cpu: Shares | None = None
    fault_seconds: float = 0.0
    copies: bool = False
    """Does each worker give the samples that others give, too?"""
    more: float = 0.0
    """Seconds that a window may take longer while its rate is not known."""
    spent: list[float] = field(default_factory=list[float])
    ended: set[tuple[str, Setting]] = field(default_factory=set[tuple[str, Setting]])
    """Ways to start workers, and settings, of which it was seen how an epoch ends."""

    @property
    def left(self) -> float:
        """Seconds until the time is up."""
        return self.until - time.monotonic()

    def measure(
        self,
        setting: Setting,
        seconds: float,
        *,
        limit: float | None = None,
        items: bool = False,
        trace: float = 0.0,
        context: str = "",
    ) -> Trial:
        """
        Run one setting in a process of its own, for about so many seconds.

        `limit` ends start-up, draining and window together. Raises
        Failed where the loader does, and Lost where nothing can be asked any more.
        """
        limit = (limit or 2.5 * seconds + 1) + self.more
        limit = min(limit, max(0.5, self.left - _ENDING))
        self.watch(f"measuring {words(setting)}")
        patience = min(3 * limit + 2, max(1.0, self.left - _ENDING / 2))
        ask: dict[str, Any] = {
            "setting": {**msgspec.to_builtins(setting), "context": context},
            "seconds": min(seconds, limit),
            "limit": limit,
            "patience": patience,
            "items": items,
            "trace": trace,
            "more": self.more,
            "ends": (context, setting) not in self.ended,
        }
        answer = self.session.ask(ask, time.monotonic() + patience + 2 * _ENDING)
        if "failed" in answer:
            message = f"with {words(setting)}: {answer['failed']}"
            late = bool(answer.get("hung")) and "; it printed " not in message
            empty = answer["failed"] if answer.get("empty") else ""
            raise Failed(message, late=late, empty=empty)
        self._note(answer)
        self.ended.add((context, setting))
        trial = _trial(setting, answer, undivided=self.copies)
        self.spent.append(trial.seconds_spent)
        return trial

    def _note(self, answer: dict[str, Any]) -> None:
        found = msgspec.convert(
            {name: answer[name] for name in Contents.__struct_fields__}, Contents
        )
        if self.contents is None or found.shared_bytes > self.contents.shared_bytes:
            self.contents = found
        self.copies |= bool(answer.get("copies"))
        if answer.get("items"):
            self.items = tuple((wall, cpu) for wall, cpu in answer["items"])
        if answer.get("stages"):
            self.wall = msgspec.convert(answer["stages"]["wall"], Shares)
            self.cpu = msgspec.convert(answer["stages"]["cpu"], Shares)
            self.fault_seconds = answer["fault_seconds"]


def words(setting: Setting) -> str:
    """``num_workers=4, prefetch_factor=2``."""
    said = f"num_workers={setting.num_workers}"
    if setting.num_workers:
        said += f", prefetch_factor={setting.prefetch_factor}"
    return said if setting.in_order else f"{said}, in_order=False"


def _trial(setting: Setting, answer: dict[str, Any], *, undivided: bool) -> Trial:
    seconds, batches = answer["seconds"], answer["batches"]
    workers = setting.num_workers
    each = seconds / batches
    same = max(1, workers) if undivided else 1
    uss = answer["workers_uss"]
    contents = msgspec.convert(
        {name: answer[name] for name in Contents.__struct_fields__}, Contents
    )
    return Trial(
        setting=setting,
        samples_per_second=(setting.batch_size or 1) / each / same,
        batch_seconds=each,
        spread=answer["spread"],
        batches=batches,
        first_batch_seconds=answer["first_batch_seconds"],
        started_seconds=answer.get("started_seconds", 0.0),
        ending_seconds=answer.get("ending_seconds"),
        wait_seconds=answer["wait_seconds"],
        step_seconds=answer["step_seconds"],
        step_cpu=answer["step_cpu"],
        costs=_costs(answer),
        shm_bytes=setting.shm_bytes(contents.shared_bytes),
        memory_bytes=sum(uss) * workers // len(uss) if uss else 0,
        growth=_growth(answer.get("growth")),
        descriptors=answer["descriptors"],
        seconds_spent=answer["spent_seconds"],
        window=msgspec.convert(answer["window"], Window),
    )


def _growth(seen: list[float] | None) -> Growth | None:
    if seen is None:
        return None
    new, copied, shared, made = seen
    return Growth(new=new, copied=copied, shared=int(shared), made=made)


def _costs(answer: dict[str, Any]) -> Costs | None:
    recorded = answer.get("recorded")
    if not recorded:
        return None
    wall, cpu = answer.get("receive") or (0.0, 0.0)
    return msgspec.convert(
        {
            **recorded,
            "receive_wall": wall,
            "receive_cpu": cpu,
            "next_cpu": answer["next_cpu"] if answer["workers_uss"] else 0.0,
        },
        Costs,
    )


__all__ = ["Bench", "Failed", "Lost", "words"]
