"""An answer of `whatif`: as JSON, and for people."""

import json
from collections.abc import Iterator
from textwrap import wrap
from typing import Any

import msgspec

from pipedoctor.facts import Setting
from pipedoctor.report.sentences import clean_text
from pipedoctor.textsafe import map_strings
from pipedoctor.tune.output.text import format_loader_line, format_memory, format_rate
from pipedoctor.units import format_count, format_seconds, format_size

_EPOCH_PARTS = ("steady", "startup", "ending")
_NOTABLE_GROWTH = 1.05
"""Memory that grows by less is not worth a word."""


def render_json(prediction: dict[str, Any]) -> str:
    """The prediction as JSON."""
    return json.dumps(map_strings(prediction), indent=1) + "\n"


def render(prediction: dict[str, Any], *, width: int = 100, has_own_batches: bool = False) -> str:
    """The prediction for people, in so many columns."""
    texts = _render_lines(prediction, has_own_batches=has_own_batches)
    lines = [row for text in texts for row in _wrap_text(text, width)]
    return "\n".join(lines) + "\n"


def _render_lines(prediction: dict[str, Any], *, has_own_batches: bool) -> Iterator[str]:
    guess, now = prediction["predicted"], prediction["current"]["predicted"]
    yield clean_text(prediction["target"])
    yield ""
    setting = msgspec.convert(prediction["setting"], Setting)
    yield f"  {format_loader_line(setting, has_own_batches=has_own_batches)}"
    world = prediction["world"]
    changes = [format_count(world["cores"], "CPU")] if world["cores"] else []
    if world["storage"] != 1:
        changes.append(f"storage {world['storage']:g} times as fast")
    if world["dtype"]:
        changes.append("uint8 batches")
    if world["one_thread"]:
        changes.append("one thread for numerical libraries in each worker")
    if world["start_method"]:
        changes.append(f"workers started by {world['start_method']}")
    if changes:
        yield f"  with {', '.join(changes)}"
    if prediction.get("interrupted"):
        yield "  interrupted: results so far"
    yield ""
    yield (
        f"  {prediction['basis']}: {format_rate(guess['samples_per_second'])}, "
        f"between {guess['low']:,.0f} and {guess['high']:,.0f}; "
        f"now {format_rate(now['samples_per_second'])}: {prediction['gain']:.2f} times as fast"
    )
    yield (
        f"  the consumer waits {_format_wait(guess)} for each batch, "
        f"{guess['first_batch_seconds']:.2f} s for the first batch"
    )
    yield from _describe_epoch(prediction)
    yield f"  {_describe_sizes(guess)}"
    if prediction["unpriced"]:
        yield f"  {prediction['unpriced']}"
    if prediction["disturbed"]:
        yield f"  unreliable: {prediction['disturbed']} during the measurement"


def _describe_epoch(prediction: dict[str, Any]) -> Iterator[str]:
    """What an epoch takes, its workers apart; nothing where its end is unknown."""
    there, now = prediction["epoch"], prediction["current"]["epoch"]
    if there is None or now is None:
        return
    steady, startup, end = (format_seconds(there[name]) for name in _EPOCH_PARTS)
    workers = f"{startup} to start its workers, {end} to stop them"
    if not prediction["setting"]["num_workers"]:
        workers = f"{startup} until the first batch"
    elif prediction["setting"]["persistent_workers"]:
        workers = "its workers are persistent"
    yield (
        f"  an epoch takes {format_seconds(sum(there.values()))}: {steady} of batches, "
        f"{workers}; now {format_seconds(sum(now.values()))}"
    )


def _format_wait(guess: dict[str, Any]) -> str:
    """``12.3 ms (10.1 to 15.0)``."""
    low, high = (1e3 * wait for wait in guess["between"]["wait_seconds"])
    return f"{guess['wait_seconds'] * 1e3:.1f} ms ({low:.1f} to {high:.1f})"


def _describe_sizes(guess: dict[str, Any]) -> str:
    """What it holds; more of it at the end of an epoch, and at the worst moment."""
    now, later = guess["memory_bytes"], guess["memory_epoch_bytes"] or 0
    memory = f"worker memory {format_memory(now)}"
    if later > _NOTABLE_GROWTH * now:
        memory += f", {format_size(later)} at the end of an epoch"
    files = f"{guess['descriptors']} file descriptors"
    if guess["most_descriptors"] > guess["descriptors"]:
        files += f", at most {guess['most_descriptors']}"
    return f"/dev/shm {format_size(guess['shm_bytes'])}; {memory}; {files}"


def _wrap_text(text: str, width: int) -> list[str]:
    return wrap(text, max(30, width), subsequent_indent="    ") or [""]
