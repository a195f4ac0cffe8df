"""What a tool can do, decided by running it: one row a question."""

import json
from collections.abc import Callable, Iterator, Sequence

from benchmarks.peers.faults import FAULTS, READ_ONLY
from benchmarks.peers.judge import CRASH, find_leaks
from benchmarks.peers.page import PeerRow
from benchmarks.peers.place import HOST, TOKENS, USER
from benchmarks.peers.sandbox import SandboxOutcome
from benchmarks.peers.tools import PeerTool

YES, NO, NONE = "**yes**", "no", "·"
SOON = 10.0
RunTool = Callable[..., SandboxOutcome]


def ask_questions(run: RunTool, tools: Sequence[PeerTool]) -> Iterator[PeerRow]:
    """Ask every tool every question."""
    by_title = {fault.title: fault for fault in FAULTS}
    hangs = by_title["nvidia-smi and NVML hang"]
    broken = by_title["`import torch` raises OSError"]
    plain = {tool.name: run(tool, tool.plain_argv) for tool in tools}
    torn = {tool.name: run(tool, tool.plain_argv, broken) for tool in tools}
    fixed = {tool.name: run(tool, tool.plain_argv, READ_ONLY) for tool in tools}
    stuck = {tool.name: run(tool, tool.plain_argv, hangs) for tool in tools}
    data = {tool.name: run(tool, tool.json) for tool in tools if tool.json}
    yield PeerRow("answers although `import torch` fails", _answer_each(torn, _has_answered))
    yield PeerRow(
        f"answers within {SOON:.0f} s although driver and nvidia-smi hang",
        _answer_each(stuck, lambda o: _has_answered(o) and o["seconds"] <= SOON),
    )
    yield PeerRow("answers where nothing can be written", _answer_each(fixed, _has_answered))
    yield PeerRow(
        "exit code 0 on the clean machine",
        _answer_each(plain, lambda o: o["code"] == 0),
    )
    yield PeerRow(
        "another exit code where `import torch` fails, and no crash",
        _answer_each(torn, lambda o: _has_answered(o) and o["code"] != 0),
    )
    parsed = {name: YES if _is_json(o["stdout"]) else NO for name, o in data.items()}
    nothing = {tool.name: NONE for tool in tools}
    yield PeerRow("nothing but JSON on stdout when asked for it", nothing | parsed)
    words = {"user": USER, "host": HOST, **TOKENS}
    yield PeerRow(
        "keeps names of user and host and tokens to itself, in a file",
        {name: _list_leaks(o["output"], words) for name, o in (plain | data).items()},
    )


def _answer_each(
    outcomes: dict[str, SandboxOutcome], good: Callable[[SandboxOutcome], bool]
) -> dict[str, str]:
    return {name: YES if good(one) else NO for name, one in outcomes.items()}


def _has_answered(outcome: SandboxOutcome) -> bool:
    crashed = CRASH in outcome["output"] or "Traceback" in outcome["output"]
    return outcome["code"] is not None and not crashed


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def _list_leaks(output: str, words: dict[str, str]) -> str:
    found = set(find_leaks(output, words.values()))
    said = [name for name, word in words.items() if word in found]
    return f"tells {', '.join(said)}" if said else YES
