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
from pipedoctor.units import human


def dumped(found: dict[str, Any]) -> str:
    """As JSON."""
    return json.dumps(throughout(found), indent=1) + "\n"


def render(found: dict[str, Any], *, width: int = 100) -> str:
    """For people, in so many columns."""
    lines = [row for text in _lines(found) for row in _wrapped(text, width)]
    return "\n".join(lines) + "\n"


def _lines(found: dict[str, Any]) -> Iterator[str]:
    guess, now = found["predicted"], found["current"]["predicted"]
    yield clean(found["target"])
    yield ""
    yield f"  {line(msgspec.convert(found['setting'], Setting))}"
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
    yield ""
    yield (
        f"  {found['basis']}: {rate(guess['samples_per_second'])}, "
        f"between {guess['low']:,.0f} and {guess['high']:,.0f}; "
        f"now {rate(now['samples_per_second'])}: {found['gain']:.2f} times as fast"
    )
    yield (
        f"  the consumer waits {guess['wait_seconds'] * 1e3:.1f} ms for each batch, "
        f"for the first one {guess['first_batch_seconds']:.2f} s"
    )
    yield (
        f"  /dev/shm {human(guess['shm_bytes'])}, memory of the workers "
        f"{held(guess['memory_bytes'])}, {guess['descriptors']} descriptors"
    )
    if found["unpriced"]:
        yield f"  {found['unpriced']}"
    if found["disturbed"]:
        yield f"  doubtful: {found['disturbed']} while it was probed"


def _wrapped(text: str, width: int) -> list[str]:
    return wrap(text, max(30, width), subsequent_indent="    ") or [""]
