"""An answer of `whatif`: as JSON, and for people."""

import json
from collections.abc import Iterator
from textwrap import wrap
from typing import Any

import msgspec

from pipedoctor.facts import Setting
from pipedoctor.legible import throughout
from pipedoctor.report.words import clean
from pipedoctor.tune.text import held, line, rate
from pipedoctor.units import human, seconds

_EPOCH = ("steady", "startup", "ending")
_GROWN = 1.05
"""Memory that grows by less is not worth a word."""


def dumped(found: dict[str, Any]) -> str:
    """As JSON."""
    return json.dumps(throughout(found), indent=1) + "\n"


def render(
    found: dict[str, Any], *, width: int = 100, own_batches: bool = False
) -> str:
    """For people, in so many columns; `own_batches`: see `line`."""
    texts = _lines(found, own_batches=own_batches)
    lines = [row for text in texts for row in _wrapped(text, width)]
    return "\n".join(lines) + "\n"


def _lines(found: dict[str, Any], *, own_batches: bool) -> Iterator[str]:
    guess, now = found["predicted"], found["current"]["predicted"]
    yield clean(found["target"])
    yield ""
    wanted = msgspec.convert(found["setting"], Setting)
    yield f"  {line(wanted, own_batches=own_batches)}"
    world = found["world"]
    said = [f"{world['cores']:g} CPUs"] if world["cores"] else []
    if world["storage"] != 1:
        said.append(f"storage {world['storage']:g} times as fast")
    if world["dtype"]:
        said.append("uint8 batches")
    if world["one_thread"]:
        said.append("one thread for numerical libraries in each worker")
    if world["start_method"]:
        said.append(f"workers started by {world['start_method']}")
    if said:
        yield f"  with {', '.join(said)}"
    if found.get("interrupted"):
        yield "  interrupted: this is what was known by then"
    yield ""
    yield (
        f"  {found['basis']}: {rate(guess['samples_per_second'])}, "
        f"between {guess['low']:,.0f} and {guess['high']:,.0f}; "
        f"now {rate(now['samples_per_second'])}: {found['gain']:.2f} times as fast"
    )
    yield (
        f"  the consumer waits {_wait(guess)} for each batch, "
        f"for the first one {guess['first_batch_seconds']:.2f} s"
    )
    yield from _epoch(found)
    yield f"  {_sizes(guess)}"
    if found["unpriced"]:
        yield f"  {found['unpriced']}"
    if found["disturbed"]:
        yield f"  doubtful: {found['disturbed']} while it was probed"


def _epoch(found: dict[str, Any]) -> Iterator[str]:
    """What an epoch takes, its workers apart; nothing where its end is unknown."""
    there, now = found["epoch"], found["current"]["epoch"]
    if there is None or now is None:
        return
    steady, startup, end = (seconds(there[name]) for name in _EPOCH)
    workers = f"{startup} until its workers deliver, {end} until they have ended"
    if not found["setting"]["num_workers"]:
        workers = f"{startup} until the first one"
    elif found["setting"]["persistent_workers"]:
        workers = "its workers are kept"
    yield (
        f"  an epoch takes {seconds(sum(there.values()))}: {steady} of batches, "
        f"{workers}; now {seconds(sum(now.values()))}"
    )


def _wait(guess: dict[str, Any]) -> str:
    """``12.3 ms (10.1 to 15.0)``."""
    low, high = (1e3 * wait for wait in guess["between"]["wait_seconds"])
    return f"{guess['wait_seconds'] * 1e3:.1f} ms ({low:.1f} to {high:.1f})"


def _sizes(guess: dict[str, Any]) -> str:
    """What it holds; more of it at the end of an epoch, and at the worst moment."""
    now, later = guess["memory_bytes"], guess["memory_epoch_bytes"] or 0
    memory = f"memory of the workers {held(now)}"
    if later > _GROWN * now:
        memory += f", {human(later)} at the end of an epoch"
    files = f"{guess['descriptors']} descriptors"
    if guess["most_descriptors"] > guess["descriptors"]:
        files += f", at most {guess['most_descriptors']}"
    return f"/dev/shm {human(guess['shm_bytes'])}; {memory}; {files}"


def _wrapped(text: str, width: int) -> list[str]:
    return wrap(text, max(30, width), subsequent_indent="    ") or [""]
