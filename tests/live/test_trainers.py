"""What callbacks need of the trainers that call them."""

# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false

import sys
from types import SimpleNamespace
from typing import Any

import pytest

from pipedoctor.live import trainers
from pipedoctor.live.trainers import lightning_callback, put_first


def test_a_callback_comes_before_the_loggers() -> None:
    """They log what is in the entry when it is their turn."""
    logger, own = object(), object()
    handler = SimpleNamespace(callbacks=[logger, own])
    put_first(handler, own)

    assert handler.callbacks == [own, logger]


def test_a_handler_of_another_kind_is_left_alone() -> None:
    own = object()
    others = SimpleNamespace(callbacks=(1, own)), SimpleNamespace(callbacks=[1]), None
    for handler in others:
        put_first(handler, own)

    assert others[0].callbacks == (1, own)
    assert others[1].callbacks == [1]


def test_a_step_of_several_batches_is_logged_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lightning counts steps of the optimizer: with accumulated gradients they are fewer."""
    written: list[int] = []
    logger = SimpleNamespace(log_metrics=lambda _, step: written.append(step))
    monkeypatch.setitem(sys.modules, "lightning.pytorch", SimpleNamespace(Callback=object))
    monkeypatch.setattr(trainers, "install", object)
    monkeypatch.setattr(trainers, "summarize_clocks", lambda _: {"wait": 0.5})
    trainer: Any = SimpleNamespace(global_step=0, loggers=[logger])
    clock = lightning_callback(every=2)
    clock.on_fit_start(trainer, None)
    for batch in range(16):
        trainer.global_step = batch // 4
        clock.on_train_batch_end(trainer)

    assert written == [0, 2]
