"""Loops over batches in code: what they are for, and what happens in them."""

import re
from collections.abc import Sequence

from pipedoctor.facts import Source
from pipedoctor.facts.code_events.training import DeviceCopy
from pipedoctor.facts.source import AnyEvent, Event, LoaderCall, Loop
from pipedoctor.lazy_pattern import compile_lazily

_DEMO_FILE = compile_lazily(r"demo|visuali[sz]e")
_DEMO_FUNCTION = compile_lazily(r"demo|predict|inference$", re.IGNORECASE)
_OCCASIONAL = compile_lazily(
    r"%|_log|== len\(|== 0|== 'cpu'|<= |(?<![a-z])(interval|freq|every|verbose|debug|print"
    r"|log_|log\.|display|logging|show|vis|last_batch|synchronize|mps|xla|profile)"
    r"|Interval|Freq|Every"
)
"""What a condition speaks of that holds now and then: intervals, logs; ``vis``, no supervision."""
_FAILURE = compile_lazily(r"^not \(?.*\bisfinite\(|^(?!not ).*\bis(nan|inf)\(")
"""Where a loss is not finite, which ends the training or skips the step."""
_FEW_TURNS = compile_lazily(
    r"(?!.*(?:accum|num))(?:\w*(?:step|iter|idx|index|count)\w*|(?:\w*_)?n?i)"
    r" (?:== \d+|< [1-9]\d?)"
)
"""
Turns of those that a variable counts: ``step == 1``, ``i < 3``; not ``accumulation_steps == 1``.
"""
_EVALUATES = compile_lazily(r"not \(?self\.training\)?")
_UNSET_FLAG = compile_lazily(r"not \(?[\w.]+\)?")
_OTHERWISE = compile_lazily(r"== (0|'cpu')")
"""What a negated condition leaves out: one turn, or a machine without a GPU."""
_FIRST_RANK = compile_lazily(r"\b\w*rank\w*(\(\))? (==|<=) 0\b")

_ON_GPU = compile_lazily(
    r"torch\.cuda\.is_available\(\)|[\w.]*device[\w.]* == 'cuda'"
    r"|(?:[\w.]+\.)?(?:use_|is_|n_|num_)?(?:cuda|gpus?)(?:_available)?(?: > 0)?"
)
"""What holds wherever there is a GPU to wait for."""


def is_done_on_gpu(event: AnyEvent) -> bool:
    """Is it done each time, at least where there is a GPU?"""
    return all(map(_ON_GPU.fullmatch, event.guards))


def is_demo_loop(loop: Loop) -> bool:
    """Does it only demonstrate a model, by its file or function name?"""
    file = loop.at.path.rpartition("/")[2]
    is_demo = _DEMO_FILE.search(file) or _DEMO_FUNCTION.search(loop.function)
    return bool(is_demo) and loop.role != "train" and not loop.repeats


def is_generating_loop(loop: Loop) -> bool:
    """Does it only generate text, for seconds in each step?"""
    return loop.generates and loop.role != "train"


def is_single_evaluation(source: Source, loader: LoaderCall) -> bool:
    """Does it only evaluate, and only once?"""
    loops = [source.loops[number] for number in loader.fed]
    again = loader.repeats or any(loop.repeats for loop in loops)
    return {loop.role for loop in loops} == {"eval"} and not again


def describe_waiting_loops(loops: Sequence[Loop]) -> str:
    """``The loop in train waits``, ``The loops in train and validate wait``."""
    names = [*dict.fromkeys(loop.function for loop in loops)]
    single = all(loop.single for loop in loops)
    first, more = names[0], len(names) - 1
    if not more:
        return f"{first} waits" if single else f"The loop in {first} waits"
    others = names[1] if more == 1 else f"{more} more"
    start = "" if single else "The loops in "
    return f"{start}{first} and {others} wait"


def find_device_copies(source: Source, loader: LoaderCall) -> list[Event[DeviceCopy]]:
    """The copies to a device in the loops that a loader feeds."""
    fed = [number for number in loader.fed if not is_demo_loop(source.loops[number])]
    return [event for event in source.select_events(DeviceCopy) if event.loop in fed]


def find_loop(source: Source, event: AnyEvent) -> Loop | None:
    """The loop over batches that contains an event."""
    return source.loops[event.loop] if event.loop >= 0 else None


def is_occasional(event: AnyEvent) -> bool:
    """
    Is it done only at intervals or on request?

    On rank 0 it happens each time, and so does what is done unless a flag is set or something
    is 0; what a module does where it does not train, only now and then.
    """
    sure = (one for one in event.guards if " or " not in one)
    parts = (part for one in sure for part in one.split(" and "))
    if any(_EVALUATES.fullmatch(one) or _FEW_TURNS.fullmatch(one) for one in parts):
        return True
    usual = (guard for guard in event.guards if not _UNSET_FLAG.fullmatch(guard))
    guards = [_FIRST_RANK.sub("", guard) for guard in usual]
    guards = [_OTHERWISE.sub("", one) if one.startswith("not ") else one for one in guards]
    return any(_FAILURE.search(guard) or _OCCASIONAL.search(guard) for guard in guards)
