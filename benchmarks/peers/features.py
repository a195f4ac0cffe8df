"""What a tool can do, decided by running it: one row a question."""

import json
from collections.abc import Callable, Iterator, Sequence

from benchmarks.peers.faults import FAULTS, READ_ONLY
from benchmarks.peers.judge import CRASH, leaks
from benchmarks.peers.page import Row
from benchmarks.peers.place import HOST, TOKENS, USER
from benchmarks.peers.sandbox import Outcome
from benchmarks.peers.tools import Tool

YES, NO, NONE = "**yes**", "no", "·"
SOON = 10.0
Run = Callable[..., Outcome]


def rows(run: Run, tools: Sequence[Tool]) -> Iterator[Row]:
    """Ask every tool every question."""
    by_title = {fault.title: fault for fault in FAULTS}
    hangs = by_title["nvidia-smi and NVML hang"]
    broken = by_title["`import torch` raises OSError"]
    plain = {tool.name: run(tool, tool.plain) for tool in tools}
    torn = {tool.name: run(tool, tool.plain, broken) for tool in tools}
    fixed = {tool.name: run(tool, tool.plain, READ_ONLY) for tool in tools}
    stuck = {tool.name: run(tool, tool.plain, hangs) for tool in tools}
    data = {tool.name: run(tool, tool.json) for tool in tools if tool.json}
    yield Row("answers although `import torch` fails", _each(torn, _answers))
    yield Row(
        f"answers within {SOON:.0f} s although driver and nvidia-smi hang",
        _each(stuck, lambda o: _answers(o) and o["seconds"] <= SOON),
    )
    yield Row("answers where nothing can be written", _each(fixed, _answers))
    yield Row(
        "exit code 0 on the clean machine",
        _each(plain, lambda o: o["code"] == 0),
    )
    yield Row(
        "another exit code where `import torch` fails, and no crash",
        _each(torn, lambda o: _answers(o) and o["code"] != 0),
    )
    parsed = {name: YES if _is_json(o["stdout"]) else NO for name, o in data.items()}
    nothing = {tool.name: NONE for tool in tools}
    yield Row("nothing but JSON on stdout when asked for it", nothing | parsed)
    words = {"user": USER, "host": HOST, **TOKENS}
    yield Row(
        "keeps names of user and host and tokens to itself, in a file",
        {name: _kept(o["output"], words) for name, o in (plain | data).items()},
    )


def _each(
    outcomes: dict[str, Outcome], good: Callable[[Outcome], bool]
) -> dict[str, str]:
    return {name: YES if good(one) else NO for name, one in outcomes.items()}


def _answers(outcome: Outcome) -> bool:
    crashed = CRASH in outcome["output"] or "Traceback" in outcome["output"]
    return outcome["code"] is not None and not crashed


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def _kept(output: str, words: dict[str, str]) -> str:
    found = set(leaks(output, words.values()))
    said = [name for name, word in words.items() if word in found]
    return f"tells {', '.join(said)}" if said else YES
