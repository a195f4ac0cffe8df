"""What callbacks need of the trainers that call them."""

from types import SimpleNamespace

from pipedoctor.live.trainers import put_first


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
