"""Where a program switches the anomaly detection of autograd on or off."""

import ast
from collections.abc import Iterator

from pipedoctor.facts.code_events.program import AnomalyDetection
from pipedoctor.source.detect.recorder import EventRecorder
from pipedoctor.source.detect.trials import is_trial
from pipedoctor.source.resolve.arguments import is_fixed
from pipedoctor.source.rewrite.anomaly_mode import find_anomaly_mode
from pipedoctor.source.syntax.context import CodeStep, GuardCondition
from pipedoctor.source.syntax.scope import CodeScope, Module

_LIBRARIES = ("torch.autograd.", "pytorch_lightning.", "lightning.")


def record_anomaly_detection(recorder: EventRecorder) -> None:
    """Record the calls that switch it, except in tests and trials."""
    for module in recorder.project.modules:
        if module.is_test or b"detect_anomaly" not in module.file.content:
            continue
        for scope, step, call in _find_switches(recorder, module):
            name = recorder.full_name_of(call.func, scope)
            if name.startswith(_LIBRARIES) and not is_trial(recorder, scope, step.context):
                details = AnomalyDetection(on=_resolve_mode(recorder, scope, call))
                before = _list_early_returns(scope, step, call)
                recorder.add_event(details, scope, step, name, caller_guards=before)


def _find_switches(
    recorder: EventRecorder, module: Module
) -> Iterator[tuple[CodeScope, CodeStep, ast.Call]]:
    """Calls that switch it themselves: no context that is only made, none behind ``and``."""
    statements = recorder.get_source_text(module).call_statements
    for name in ("set_detect_anomaly", "detect_anomaly", "Trainer"):
        for scope, step in module.find_calls(name):
            node = step.node
            if isinstance(node, ast.Call) and (
                _is_entered(scope, node)
                or (name == "set_detect_anomaly" and id(node) in statements)
                or (name == "Trainer" and find_anomaly_mode(node) is not None)
            ):
                yield scope, step, node


def _list_early_returns(scope: CodeScope, step: CodeStep, call: ast.Call) -> list[GuardCondition]:
    """``if not args.debug: return`` above it: conditions under which nothing is done."""
    guards = step.context.guards
    return [
        GuardCondition(node.test, holds=False)
        for end in scope.turn_ends
        if isinstance(node := end.node, ast.If) and node.lineno < call.lineno
        if len(node.body) == 1 and end.context.guards == guards[: len(end.context.guards)]
    ]


def _is_entered(scope: CodeScope, node: ast.Call) -> bool:
    return any(
        item.context_expr is node
        for step in scope.steps_by_type.get(ast.With, ())
        if isinstance(step.node, ast.With)
        for item in step.node.items
    )


def _resolve_mode(recorder: EventRecorder, scope: CodeScope, call: ast.Call) -> bool | None:
    given = find_anomaly_mode(call)
    if given is None:  # ``detect_anomaly()``
        return True
    value = recorder.values.resolve(given, scope)
    known = is_fixed(value) and isinstance(value.value, bool)
    return bool(value.value) if known else None
