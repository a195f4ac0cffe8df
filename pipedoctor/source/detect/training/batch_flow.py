"""Follows a batch and what comes of it: through a loop, and into functions."""

import ast
from collections.abc import Iterable

from pipedoctor.source.detect.bound_parts import list_bound_parts
from pipedoctor.source.detect.device_copies import (
    COMPUTATIONS,
    is_device_copy,
    list_own_calls,
    makes_on_device,
    speaks_of_moves,
)
from pipedoctor.source.detect.flow_state import (
    BINDING_NODES,
    FlowState,
    ObjectState,
    bind_target,
    find_flow_key,
    holds_attribute,
    is_part_of_result,
    tensor_names,
)
from pipedoctor.source.detect.positions import is_inside_loops, is_within
from pipedoctor.source.detect.recorder import EventRecorder
from pipedoctor.source.detect.training.batch_events import MAX_DEPTH, BatchEvents
from pipedoctor.source.detect.training.early_exits import list_all_guards
from pipedoctor.source.detect.training.gradient_reads import is_of_gradients, list_model_readers
from pipedoctor.source.detect.training.host_tensors import (
    changes_type,
    is_made_on_host,
    joins_tensors,
    makes_tensor,
)
from pipedoctor.source.detect.training.kept_graphs import record_kept_graph
from pipedoctor.source.detect.training.layers import is_layer_output
from pipedoctor.source.detect.training.losses import find_losses
from pipedoctor.source.detect.training.packed_sequences import find_packed_sizes
from pipedoctor.source.detect.training.requested_batches import (
    find_requested_names,
    has_own_tensors,
    list_entered,
    unfold_partial,
)
from pipedoctor.source.detect.training.returned_batches import find_returned_kinds, passes_through
from pipedoctor.source.detect.training.value_uses import compares_values, is_computed_of_gradients
from pipedoctor.source.detect.training.visited_functions import VisitedFunctions
from pipedoctor.source.resolve.absent_arguments import find_absent_names, is_left_out
from pipedoctor.source.resolve.arguments import match_arguments
from pipedoctor.source.syntax.context import CodeStep, GuardCondition
from pipedoctor.source.syntax.expressions import binding_key, last_name
from pipedoctor.source.syntax.scope import ClassDefinition, CodeScope
from pipedoctor.source.syntax.walk import find_nodes

_MAX_MOVING_DEPTH = 7
"""The same where only copies to the device are looked for, in files that speak of them."""
_MAX_TARGETS = 8
"""Functions that one call may mean."""
_PLAIN_VALUES = (
    *(ast.Name, ast.Attribute, ast.Subscript, ast.Tuple, ast.List, ast.Dict),
    *(ast.ListComp, ast.DictComp, ast.IfExp),
)


class BatchFlow(BatchEvents):
    """One way of a batch: the loop it comes from, and what has been entered."""

    def __init__(self, recorder: EventRecorder, loop: int) -> None:
        super().__init__(recorder, loop)
        self.self_class: ClassDefinition | None = None
        self._visited = VisitedFunctions()
        self._objects: dict[str, ObjectState] = {}
        """What objects keep of the batch, by the class."""

    def follow_steps(self, scope: CodeScope, steps: Iterable[CodeStep], state: FlowState) -> None:
        """Take the steps in their order; an assignment counts once its value is computed."""
        waiting: list[tuple[CodeStep, ast.Assign]] = []
        for step in steps:
            one = step.node
            while waiting and not is_within(one, waiting[-1][1].value):
                self._follow_assignment(scope, *waiting.pop(), state)
            if isinstance(one, ast.Assign):
                waiting.append((step, one))
            else:
                self._follow_step(scope, step, one, state)
        while waiting:
            self._follow_assignment(scope, *waiting.pop(), state)

    def _follow_step(
        self, scope: CodeScope, step: CodeStep, one: ast.AST, state: FlowState
    ) -> None:
        for target, value in list_bound_parts(one) if isinstance(one, BINDING_NODES) else ():
            bind_target(target, value, state)
        if isinstance(one, ast.Call):
            self.record_call(scope, step, one, state)
            record_kept_graph(self.recorder, scope, step, one, state)
            self.enter_call(scope, step, one, state)
        elif isinstance(one, (ast.If, ast.While, ast.Assert)):
            self.record_test(scope, step, one.test, state)
        elif isinstance(one, ast.Subscript):
            self.record_old_read(scope, step, one, state)
        elif isinstance(one, ast.AugAssign):
            moved = any(
                is_device_copy(call, self.recorder, scope)
                for call in find_nodes(one.value, (ast.Call,))
            )
            if moved or tensor_names(one.value) & (state.results | state.on_device.keys()):
                state.results |= self.names.of_target(one.target)
            self.record_text(scope, step, one.value, state)
            record_kept_graph(self.recorder, scope, step, one, state)

    def _follow_assignment(
        self, scope: CodeScope, step: CodeStep, node: ast.Assign, state: FlowState
    ) -> None:
        """Names that come from the batch, those on the device, those computed there."""
        value = node.value
        self.record_text(scope, step, value, state)
        record_kept_graph(self.recorder, scope, step, node, state)
        calls = self.names.calls_in(value)
        entered = [self.enter_call(scope, step, call, state) for call in calls]
        returned = {kind for kinds in entered for kind in kinds}
        on_host = state.batch - state.on_device_before(node.lineno, step.context) - state.results
        copies = [n for n in list_own_calls(value) if self._is_copy(scope, n, on_host)]
        computed = not copies and self._holds_copy(scope, value, on_host)
        read = self.names.of_all(value)
        moved = state.on_device.keys() | state.results
        joined = joins_tensors(self.recorder, scope, value) and not read & moved
        changed = changes_type(value) and not read & state.on_device.keys()
        made = joined or changed or makes_tensor(self.recorder, scope, value)
        made = made or "fresh" in returned
        for target in node.targets:
            names = self.names.of_target(target) - find_packed_sizes(scope, target, value)
            if isinstance(target, ast.Subscript):
                if is_made_on_host(self.recorder, scope, target.value):
                    continue
            if not (made or read & state.fresh_on_host):
                state.fresh_on_host -= names
            elif not self._uncertain_guards(scope, step):
                state.fresh_on_host |= names
            if copies or "device" in returned:
                since = (node.end_lineno or node.lineno, step.context)
                for name in names:
                    state.on_device.setdefault(name, since)
            if "loss" in returned and isinstance(value, ast.Call) and "host" not in returned:
                state.step_losses |= names
            if computed and "host" not in returned:
                state.results |= names
            else:
                self._carry_over(scope, value, names, state, returned, copied=bool(copies))

    def _holds_copy(self, scope: CodeScope, value: ast.expr, on_host: set[str]) -> bool:
        """Is a value computed of a copy to the device, and not only read from it?"""
        copies = (self._is_copy(scope, one, on_host) for one in self.names.tensor_calls_in(value))
        return any(copies) or makes_on_device(self.recorder, scope, value)

    def _carry_over(
        self,
        scope: CodeScope,
        value: ast.expr,
        names: frozenset[str],
        state: FlowState,
        kinds: set[str],
        *,
        copied: bool,
    ) -> None:
        """What new names hold of the batch and of results, by the value that they get."""
        read, tensors = self.names.of_all(value), self.names.of_tensors(value)
        moved = state.on_device.keys() | state.results
        if isinstance(value, ast.Call) and not copied:
            device = "results" in kinds or is_computed_of_gradients(value)
            device = device or is_of_gradients(scope, value)
            if not device and read & (state.batch | state.results):
                device = is_layer_output(self.recorder.project, scope, value)
            if "host" in kinds:
                state.results -= names
            elif device or ("batch" not in kinds and tensors & moved):
                state.results |= names
            elif "batch" in kinds or (
                passes_through(self.recorder, scope, value) and read & state.batch
            ):
                state.batch |= names
        if copied or isinstance(value, _PLAIN_VALUES):
            if read & state.batch:
                state.batch |= names
            for name in names if tensors & state.on_device.keys() else ():
                since = state.on_device[min(tensors & state.on_device.keys())]
                state.on_device.setdefault(name, since)
        elif isinstance(value, COMPUTATIONS) and tensors & moved and compares_values(value):
            state.results |= names
        if isinstance(value, (ast.Subscript, ast.Name, ast.Attribute)):
            part = not copied and is_part_of_result(value) and bool(tensors & moved)
            if part or find_flow_key(value) in state.results:
                state.results |= names
        state.rebind(names, host=bool(read) and not tensors)

    def enter_call(
        self, scope: CodeScope, step: CodeStep, node: ast.Call, state: FlowState
    ) -> frozenset[str]:
        """Into functions that are given any of it: do they return ``batch``, ``results``?"""
        node = unfold_partial(self.recorder, scope, node)
        takes = last_name(node.func) in self.recorder.loader_flow.taking_names
        if self.depth >= _MAX_MOVING_DEPTH or not (takes or self._is_concerned(node, step, state)):
            return frozenset()
        moved = state.on_device_before(node.lineno, step.context)
        mine = self.self_class or scope.owner
        targets = list_entered(self.recorder, scope, node, mine)
        found: set[str] = set()
        if self.depth >= MAX_DEPTH:
            targets = [one for one in targets if speaks_of_moves(one[0].module)]
        guards = self._uncertain_guards(scope, step) if targets else []
        for target, cls in targets[:_MAX_TARGETS]:
            if target.parent is not None and is_inside_loops(target.node, step.context.loops):
                continue  # it stands in the loop itself
            inner = FlowState(set(), absent=find_absent_names(target, node))
            for name, value in match_arguments(target, node):
                names = self.names.of_tensors(value)
                if isinstance(value, ast.Call) and "host" in self.enter_call(
                    scope, step, value, state
                ):
                    continue
                if names & (state.results | moved) or self._holds_copy(scope, value, state.batch):
                    inner.results.add(name)
                elif names & state.batch:
                    inner.batch.add(name)
            if takes:
                inner.batch |= find_requested_names(self.recorder, target, target.steps)
            self._leave_object(scope.owner and mine, state)
            found |= self.enter_function(target, cls, guards, inner)
            if mine is not None and mine.full_name in self._objects:
                self._objects[mine.full_name].enter(state)
        self.kinds_by_call[id(node)] = kinds = frozenset(found)
        return kinds

    def _is_concerned(self, node: ast.Call, step: CodeStep, state: FlowState) -> bool:
        """Is a call given something of the batch, or may it find that on its object?"""
        known = state.batch, state.results, state.on_device_before(node.lineno, step.context)
        given = not all(map(self.names.given_to(node).isdisjoint, known))
        if not given and isinstance(node.func, ast.Attribute):
            mine = binding_key(node.func.value) == "self" and any(map(holds_attribute, known))
            given = mine or bool(self._objects)
        return given or last_name(node.func) in list_model_readers(self.recorder)

    def _leave_object(self, cls: ClassDefinition | None, state: FlowState) -> None:
        """Keep what ``self`` holds of the batch."""
        if cls is not None:
            held = self._objects.get(cls.full_name, ObjectState())
            held.leave(state)
            if not held.is_empty:
                self._objects[cls.full_name] = held

    def _uncertain_guards(self, scope: CodeScope, step: CodeStep) -> list[GuardCondition]:
        """The conditions of a call, inside the loop; those that always hold apart."""
        begin = self.recorder.loops[self.loop_index].at.line if not self.depth else 0
        guards = list_all_guards(self.recorder.project, scope, step)
        around = [g for g in guards if g.test.lineno > begin]
        uncertain = (one for one in around if not self.recorder.always_holds(one, scope))
        return [self.recorder.name_interval(one, scope) for one in uncertain]

    def enter_function(
        self,
        target: CodeScope,
        cls: ClassDefinition | None,
        guards: list[GuardCondition],
        state: FlowState,
    ) -> frozenset[str]:
        """Into one function: does it return ``batch``, ``results``, ``device``, ``host``?"""
        if cls is not None and cls.full_name in self._objects:
            self._objects[cls.full_name].enter(state)
        deep, read = self.depth >= MAX_DEPTH, frozenset(state.results)
        key = (id(target), deep, frozenset(state.batch), read, state.absent)
        self.recorder.step_scopes.add(id(target))
        around = (*self.guards, *guards)
        if (known := self._visited.recall(key, around)) is not None:
            return known
        known_of_it = state.batch or state.results or state.on_device
        if target.module.is_test or not (known_of_it or has_own_tensors(self.recorder, target)):
            return frozenset()
        self._visited.begin(key, around)
        self.recorder.followed_scopes.add(id(target))
        own = (one for one in target.steps if not one.context.inner)
        inside = [one for one in own if not is_left_out(one, state.absent)]
        losses = set(find_losses(target, inside))
        state.losses |= losses
        state.results |= losses
        before = (self.guards, self.depth, self.self_class)
        self.guards, self.depth, self.self_class = around, self.depth + 1, cls
        self.follow_steps(target, inside, state)
        self.guards, self.depth, self.self_class = before
        self._leave_object(cls if target.owner is not None else None, state)
        return self._visited.end(key, find_returned_kinds(self, target, state))
