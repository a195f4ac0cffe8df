"""The samplers of loaders: what makes them, and whether they end."""

import ast

from pipedoctor.source.detect.recorder import EventRecorder
from pipedoctor.source.resolve.loader_calls import ResolvedLoaderCall
from pipedoctor.source.syntax.scope import CodeScope
from pipedoctor.source.values.lattice import ExternalValue, InstanceValue, Value, Values

_MAX_SAMPLERS = 3
"""Samplers within samplers."""
_SAMPLER_ARGUMENTS = ("batch_sampler", "sampler")
_ENDLESS_CALLS = frozenset(("itertools.count", "itertools.cycle", "itertools.repeat"))
_ENDING_SAMPLERS = frozenset(
    ("RandomSampler", "SequentialSampler", "SubsetRandomSampler", "DistributedSampler")
)
"""Samplers of torch that give each index once."""


def find_sampler(
    recorder: EventRecorder, loader: ResolvedLoaderCall, name: str
) -> ExternalValue | None:
    """
    The only call that makes its sampler, by itself or within a batch sampler.

    Of several it is the one that is for several processes.
    """
    values = recorder.loader_flow.evaluate_argument(loader, name)
    for _ in range(_MAX_SAMPLERS):
        made = [one for one in values if isinstance(one, ExternalValue)]
        if len(made) > 1:
            made = [one for one in made if one.name.endswith("DistributedSampler")]
        if len(made) != 1:
            return None
        (only,) = made
        given = only.call.args[:1]
        inner = recorder.loader_flow.evaluator.evaluate(given[0], only.frame) if given else ()
        values = frozenset(
            one for one in inner if isinstance(one, ExternalValue) and one.name.endswith("Sampler")
        )
        if not values:
            return only
    return None


def find_sampler_end(recorder: EventRecorder, loader: ResolvedLoaderCall) -> bool | None:
    """Whether all that its sampler may be ends after one epoch; none: not known."""
    for name in _SAMPLER_ARGUMENTS:
        values = recorder.loader_flow.evaluate_argument(loader, name)
        if values:
            return _all_end(recorder, values, _MAX_SAMPLERS)
    return None


def _all_end(recorder: EventRecorder, values: Values, depth: int) -> bool | None:
    known = [_ends(recorder, one, depth) for one in values] or [None]
    if False in known:
        return False
    return None if None in known else True


def _ends(recorder: EventRecorder, value: Value, depth: int) -> bool | None:
    if isinstance(value, InstanceValue):
        method = recorder.project.find_method(value.cls, "__iter__")
        return None if method is None else not never_ends(recorder, method)
    if not isinstance(value, ExternalValue) or not value.name.startswith("torch."):
        return None
    kind = value.name.rpartition(".")[2]
    if kind == "BatchSampler" and value.call.args and depth:
        inner = recorder.loader_flow.evaluator.evaluate(value.call.args[0], value.frame)
        return _all_end(recorder, inner, depth - 1)
    limited = any(word.arg == "num_samples" for word in value.call.keywords)
    return True if kind in _ENDING_SAMPLERS and not limited else None


def never_ends(recorder: EventRecorder, method: CodeScope) -> bool:
    """``while True`` without a way out, or a loop over ``itertools.count()``."""
    for step in method.steps_by_type.get(ast.While, ()):
        node = step.node
        if isinstance(node, ast.While) and isinstance(node.test, ast.Constant):
            if not any(isinstance(one, (ast.Break, ast.Return)) for one in ast.walk(node)):
                return True
    return any(
        isinstance(step.node, ast.Call)
        and recorder.full_name_of(step.node.func, method) in _ENDLESS_CALLS
        for step in method.calls
    )
