"""Ask for trials, and turn what comes back into facts."""

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from pipedoctor.facts import Contents, Setting, Shares, Trial
from pipedoctor.tune.search.session import (
    TargetLostError,
    TargetRefusedError,
    TargetSession,
)
from pipedoctor.tune.target.messages import TrialFailed, TrialMeasured, TrialRequest

_USUAL_TRIALS = 6
"""Trials that decide most cases."""
_ENDING_SECONDS = 0.8
"""Seconds that ending a trial may take on top of it."""


def ignore_progress(action: str) -> None:
    """Report progress to nobody."""
    del action


class TrialFailedError(Exception):
    """
    The loader failed with a setting; the message says how, in one line.

    `is_timeout`: all that is known is that nothing came in time. `empty_reason`: why it gives no
    batch at all.
    """

    def __init__(self, message: str, *, is_timeout: bool = False, empty_reason: str = "") -> None:
        super().__init__(message)
        self.is_timeout, self.empty_reason = is_timeout, empty_reason

    def to_final_error(self, target: str, message: str) -> "TrialFailedError | TargetRefusedError":
        """The error to raise if the target fails so with its own setting."""
        if self.empty_reason:
            return TargetRefusedError(f"{target}: {self.empty_reason}")
        return TrialFailedError(message, is_timeout=self.is_timeout)


@dataclass
class TrialRunner:
    """Measures settings of one loaded target until its time is up."""

    session: TargetSession
    deadline: float
    """Of `time.monotonic`: nothing begins that may end later."""
    report_progress: Callable[[str], None] = ignore_progress
    contents: Contents | None = None
    items: tuple[tuple[float, float], ...] = ()
    wall_shares: Shares | None = None
    cpu_shares: Shares | None = None
    fault_seconds: float = 0.0
    has_copies: bool = False
    """Does each worker give the samples that others give, too?"""
    loading_seconds: float = 0.0
    """Until the target was there."""
    extra_seconds: float = 0.0
    """Seconds that a window may take longer while its rate is not known."""
    trial_seconds: list[float] = field(default_factory=list[float])
    ended_settings: set[tuple[str, Setting]] = field(default_factory=set[tuple[str, Setting]])
    """Ways to start workers, and settings, of which it was seen how an epoch ends."""

    @property
    def seconds_left(self) -> float:
        """Seconds until the time is up."""
        return self.deadline - time.monotonic()

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
        limit = (limit or 2.5 * seconds + 1) + self.extra_seconds
        limit = min(limit, max(0.5, self.seconds_left - _ENDING_SECONDS))
        self.report_progress(f"measuring {format_setting(setting)}")
        patience = min(3 * limit + 2, max(1.0, self.seconds_left - _ENDING_SECONDS / 2))
        ask = TrialRequest(
            setting=setting,
            context=context,
            seconds=min(seconds, limit),
            limit=limit,
            patience=patience,
            items=items,
            trace=trace,
            more=self.extra_seconds,
            ends=(context, setting) not in self.ended_settings,
        )
        answer = self.session.run_trial(ask, time.monotonic() + patience + 2 * _ENDING_SECONDS)
        if isinstance(answer, TrialFailed):
            message = f"with {format_setting(setting)}: {answer.reason}"
            late = answer.hung and "; last error output: " not in message
            empty = answer.reason if answer.empty else ""
            raise TrialFailedError(message, is_timeout=late, empty_reason=empty)
        self._record_answer(answer)
        self.ended_settings.add((context, setting))
        trial = _build_trial(setting, answer, undivided=self.has_copies)
        self.trial_seconds.append(trial.seconds_spent)
        return trial

    def suggest_budget(self) -> Iterator[str]:
        """What budget would do, where a trial came to its end and another had no time left."""
        slowest = max(self.trial_seconds, default=0.0)
        if slowest > max(0.0, self.seconds_left):
            enough = 10 * math.ceil((self.loading_seconds + _USUAL_TRIALS * slowest) / 10)
            yield f"a trial takes about {slowest:.0f} s here: try --budget {enough}"

    def _record_answer(self, answer: TrialMeasured) -> None:
        contents = answer.contents
        if self.contents is None or contents.shared_bytes > self.contents.shared_bytes:
            self.contents = contents
        self.has_copies |= answer.copies
        self.items = answer.items or self.items
        if answer.stages:
            self.wall_shares, self.cpu_shares = answer.stages.wall, answer.stages.cpu
            self.fault_seconds = answer.stages.fault_seconds


def format_setting(setting: Setting) -> str:
    """``num_workers=4, prefetch_factor=2``."""
    text = f"num_workers={setting.num_workers}"
    if setting.num_workers:
        text += f", prefetch_factor={setting.prefetch_factor}"
    return text if setting.in_order else f"{text}, in_order=False"


def _build_trial(setting: Setting, answer: TrialMeasured, *, undivided: bool) -> Trial:
    workers, uss = setting.num_workers, answer.workers_uss
    each = answer.seconds / answer.batches
    same = max(1, workers) if undivided else 1
    return Trial(
        setting=setting,
        samples_per_second=(setting.batch_size or 1) / each / same,
        batch_seconds=each,
        spread=answer.spread,
        batches=answer.batches,
        first_batch_seconds=answer.first_batch_seconds,
        started_seconds=answer.started_seconds,
        ending_seconds=answer.ending_seconds,
        wait_seconds=answer.wait_seconds,
        step_seconds=answer.step_seconds,
        step_cpu=answer.step_cpu,
        kernel_seconds=answer.kernel_seconds,
        costs=answer.costs,
        shm_bytes=setting.compute_shm_bytes(answer.contents.shared_bytes),
        memory_bytes=sum(uss) * workers // len(uss) if uss else 0,
        growth=answer.growth,
        descriptors=answer.descriptors,
        seconds_spent=answer.spent_seconds,
        window=answer.window,
    )


__all__ = ["TargetLostError", "TrialFailedError", "TrialRunner", "format_setting"]
