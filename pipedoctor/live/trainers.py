"""
Callbacks for Lightning and for Hugging Face's Trainer.

Figures go to the trainer's own logger, by its own interface: TensorBoard, W&B, MLflow
or whatever it logs to.
"""

import importlib
import inspect
import weakref
from typing import Any

from pipedoctor.live.clocks import LoaderClocks, install, remove

LOG_EVERY = 50
"""Steps between two entries in the log."""


def summarize_clocks(clocks: LoaderClocks | None) -> dict[str, float]:
    """The figures of the busiest loader, by names for a logger."""
    found = clocks.figures() if clocks is not None else []
    return found[0].scalars() if found else {}


def lightning_callback(every: int = LOG_EVERY) -> Any:
    """A `Callback` of Lightning; raises ImportError where that is not installed."""
    base: Any = _import_first("lightning.pytorch", "pytorch_lightning").Callback

    class LightningClock(base):  # type: ignore[misc]
        """Logs what training waits for its loader."""

        def on_fit_start(self, trainer: Any, pl_module: Any) -> None:
            del trainer, pl_module
            self.clocks, self.logged = install(), -1

        def on_train_batch_end(self, trainer: Any, *_: Any) -> None:
            step = trainer.global_step  # the same for all batches whose gradients are added up
            if step % every == 0 and step != self.logged:
                self.logged = step
                self._log(trainer)

        def on_fit_end(self, trainer: Any, pl_module: Any) -> None:
            del pl_module
            self._log(trainer)
            remove()

        def on_exception(self, *_: Any) -> None:
            remove()

        def _log(self, trainer: Any) -> None:
            found = summarize_clocks(getattr(self, "clocks", None))
            for logger in trainer.loggers if found else ():
                logger.log_metrics(found, step=trainer.global_step)

    return LightningClock()


def trainer_callback(every: int = LOG_EVERY) -> Any:
    """A `TrainerCallback` of transformers; raises ImportError without it."""
    base: Any = _import_first("transformers").TrainerCallback

    class TransformersClock(base):  # type: ignore[misc]
        """Adds what training waits for its loader to what the trainer logs."""

        def __init__(self) -> None:
            weakref.finalize(self, remove)  # training that raises tells nobody that it ends

        def on_init_end(self, *_: Any, **__: Any) -> None:
            frame = inspect.currentframe()
            caller = frame.f_back if frame is not None else None
            if caller is not None:
                put_first(caller.f_locals.get("self"), self)

        def on_train_begin(self, *_: Any, **__: Any) -> None:
            self.clocks = install()

        def on_log(self, *_: Any, logs: Any = None, **__: Any) -> None:
            if logs is not None:
                logs.update(summarize_clocks(getattr(self, "clocks", None)))

        def on_step_end(self, _args: Any, state: Any, control: Any, **_: Any) -> Any:
            if state.global_step % every == 0:
                control.should_log = True
            return control

        def on_train_end(self, *_: Any, **__: Any) -> None:
            remove()

    return TransformersClock()


def put_first(handler: Any, callback: Any) -> None:
    """
    Let a handler of callbacks call this one before all others.

    The trainer tells its loggers first, and what is added later reaches none of them.
    """
    callbacks: list[Any] = getattr(handler, "callbacks", [])
    if type(callbacks) is list and callback in callbacks:
        callbacks.remove(callback)
        callbacks.insert(0, callback)


def _import_first(*names: str) -> Any:
    for name in names[:-1]:
        try:
            return importlib.import_module(name)
        except ImportError:  # noqa: PERF203
            continue
    return importlib.import_module(names[-1])
