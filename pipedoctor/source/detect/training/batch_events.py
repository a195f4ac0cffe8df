"""What is recorded on the way of a batch: copies, waits, ways through the host."""

import ast
from collections.abc import Set as AbstractSet

from msgspec import UNSET
from msgspec.structs import replace

from pipedoctor.facts.code_events.training import (
    BatchCopy,
    CacheRelease,
    CreatedThenMoved,
    DeviceCopy,
    HostArray,
    HostRead,
    OtherCopy,
    Synchronization,
)
from pipedoctor.source.detect.device_copies import copies_to_host, find_copied, is_device_copy
from pipedoctor.source.detect.flow_state import FlowState, find_flow_key, tensor_names
from pipedoctor.source.detect.recorder import EventRecorder
from pipedoctor.source.detect.switches import is_switched_off
from pipedoctor.source.detect.training import read_numbers, tested_values
from pipedoctor.source.detect.training.early_exits import list_passed_intervals
from pipedoctor.source.detect.training.gradient_reads import is_of_gradients
from pipedoctor.source.detect.training.host_arrays import is_host_transform, is_made_tensor_again
from pipedoctor.source.detect.training.host_factories import (
    creates_then_moves,
    find_kept_key,
    find_made,
)
from pipedoctor.source.detect.training.host_tensors import begins_on_host, is_fresh_on_host
from pipedoctor.source.detect.training.layers import list_buffers
from pipedoctor.source.detect.training.made_once import is_made_once
from pipedoctor.source.detect.training.nearby_steps import follows_del, reads_clock
from pipedoctor.source.detect.training.value_uses import (
    asks_for_number,
    compares_tensor,
    converts_result,
    converts_values,
    is_formatted_text,
    is_reduced_tensor,
    reads_tensor,
)
from pipedoctor.source.syntax.context import CodeStep, GuardCondition
from pipedoctor.source.syntax.expressions import last_name, unparse_short
from pipedoctor.source.syntax.scope import CodeScope
from pipedoctor.source.syntax.views import strip_subscripts

MAX_DEPTH = 4
"""From the loop into functions, and on from these."""


class BatchEvents:
    """Records what happens to a batch, for one loop."""

    def __init__(self, recorder: EventRecorder, loop: int) -> None:
        self.recorder = recorder
        self.names = recorder.expression_names
        self.loop_index = loop
        self.guards: tuple[GuardCondition, ...] = ()
        """Around the calls that lead from the loop to here."""
        self.depth = 0
        self.kinds_by_call: dict[int, frozenset[str]] = {}
        """What the functions that a call enters return, by the identity of the call."""

    def record_call(
        self, scope: CodeScope, step: CodeStep, node: ast.Call, state: FlowState
    ) -> None:
        """Copies, waits for the device, and ways through the host."""
        func = node.func
        moved = state.on_device_before(node.lineno, step.context)
        copied = find_copied(node)
        root = find_flow_key(copied) if copied is not None else ""
        if self._is_copy(scope, node, state.batch - moved - state.results):
            mine = root in state.batch - moved or self._is_taken_batch(scope, func)
            if mine or not self.depth or self._creates_tensor(scope, node):
                fresh = is_fresh_on_host(node, state.fresh_on_host)
                self._record_copy(scope, step, node, of_batch=mine, fresh=fresh)
        elif isinstance(func, ast.Attribute) and (how := reads_tensor(node)):
            read = self._read_names(scope, func.value)
            raised = bool(read & (state.results | moved if self.depth else state.results))
            if self._is_parameter(scope, read, root):
                how, raised = "item", True
            raised = raised or is_of_gradients(scope, func.value)
            if not raised and self.depth:
                raised = self._is_computed_of(scope, func.value, state.results | moved)
            host = not raised and bool(root) and bool(read) and read <= state.batch - moved
            made = not raised and bool(read) and read <= state.on_host
            made = made or begins_on_host(self.recorder, scope, func.value)
            made = made or read_numbers.is_given_to_environment(scope, node)
            if (raised or not self.depth) and not made:
                self._record_sync(scope, step, how, host=host, raised=raised)
        elif converts := converts_values(node):
            chosen = any(tensor_names(g.test) & state.results for g in step.context.guards)
            if not chosen and converts_result(node, converts, state.results, moved):
                how = {"text": "print", "choice": "float"}.get(converts, converts)
                self._record_sync(scope, step, how, host=False, raised=True)
        elif isinstance(func, ast.Attribute) and func.attr == "numpy":
            if root in state.batch - moved:
                self._record_host_array(scope, step, node, root)
        else:
            self._record_other_call(scope, step, node, state.batch - moved - state.results)

    def _is_copy(self, scope: CodeScope, node: ast.Call, on_host: AbstractSet[str]) -> bool:
        """Does it copy to the device, and not to where a batch on the host is?"""
        return is_device_copy(node, self.recorder, scope) and not copies_to_host(node, on_host)

    def _record_other_call(
        self, scope: CodeScope, step: CodeStep, node: ast.Call, on_host: AbstractSet[str]
    ) -> None:
        if is_host_transform(self.recorder, scope, node, on_host):
            array = HostArray(again=True, in_loop=self.loop_index)
            self.recorder.add_event(array, scope, step, unparse_short(node))
            return
        name = self.recorder.full_name_of(node.func, scope)
        details: CacheRelease | Synchronization | None = None
        if name == "torch.cuda.empty_cache":
            details = CacheRelease(freed=follows_del(scope, step), in_loop=self.loop_index)
        elif name == "torch.cuda.synchronize":
            timed = reads_clock(scope, step)
            mine = self.loop_index if not (timed and self.depth) else UNSET
            details = Synchronization(timed=timed, in_loop=mine)
        if details is not None:
            self.recorder.add_event(details, scope, step, name, caller_guards=self.guards)

    def _read_names(self, scope: CodeScope, node: ast.expr) -> set[str]:
        """Of what a value is read: ``x`` of ``x.mean()``, all of ``torch.sum(x == y)``."""
        root = find_flow_key(node)
        full = self.recorder.project.resolve_name(root, scope.module) if root else ""
        if root and full.partition(".")[0] != "torch":
            return {root}
        return tensor_names(node)

    def _is_computed_of(self, scope: CodeScope, node: ast.expr, tensors: AbstractSet[str]) -> bool:
        """``criterion(out, y).mean()``, ``net(x.cuda())``: of what is on the device."""
        while isinstance(node, (ast.Call, ast.Attribute)):
            if isinstance(node, ast.Attribute):
                node = node.value
                continue
            given = [*node.args, *(word.value for word in node.keywords)]
            if any(not self.names.of_tensors(one).isdisjoint(tensors) for one in given):
                return True
            if any(
                self._is_copy(scope, call, frozenset())
                for one in given
                for call in self.names.calls_in(one)
            ):
                return True
            node = node.func
        return False

    def _is_parameter(self, scope: CodeScope, read: set[str], root: str) -> bool:
        """``self.margin`` of ``self.margin.item()``, a parameter or buffer of the module itself."""
        own = {name for name in read if name.startswith("self.")}
        if scope.owner is None or not own:
            return False
        bases = self.recorder.project.find_bases(scope.owner)[0]
        made = [one for cls in bases if (one := cls.methods.get("__init__")) is not None]
        given = (value for one in made for name in own for value, _ in one.bindings.get(name, ()))
        return any(
            isinstance(value, ast.Call) and last_name(value.func) == "Parameter" for value in given
        ) or any(f"self.{name}" == root for one in made for name in list_buffers(one))

    def record_test(
        self, scope: CodeScope, step: CodeStep, test: ast.expr, state: FlowState
    ) -> None:
        """``if loss == 0``: the host waits for the value of a tensor."""
        moved = state.results | state.on_device.keys()
        tensors = state.losses | {one for one in state.results if is_reduced_tensor(scope, one)}
        compared = compares_tensor(test, tensors & state.results)
        if compared or (moved and asks_for_number(test, moved)):
            loss = compared and compares_tensor(test, state.losses)
            asked = tested_values.classify_question([test])
            asked = asked if asked == "finite" or loss else ""
            its = CodeStep(test, step.context)
            self._record_sync(scope, its, "if", host=False, raised=True, asked=asked)

    def record_text(
        self, scope: CodeScope, step: CodeStep, value: ast.expr, state: FlowState
    ) -> None:
        """``text = f"{loss}"``: made in every step, whether anybody reads it or not."""
        if is_formatted_text(value) and self.names.of_tensors(value) & state.results:
            its = CodeStep(value, step.context)
            self._record_sync(scope, its, "print", host=False, raised=True)

    def record_old_read(
        self, scope: CodeScope, step: CodeStep, node: ast.Subscript, state: FlowState
    ) -> None:
        """``loss.data[0]``: what ``loss.item()`` is since torch 0.4."""
        inner, first = node.value, node.slice
        if not (isinstance(inner, ast.Attribute) and inner.attr == "data"):
            return
        if isinstance(first, ast.Constant) and first.value == 0:
            if find_flow_key(inner.value) in state.losses:
                self._record_sync(scope, step, "item", host=False, raised=True)

    def _is_taken_batch(self, scope: CodeScope, func: ast.expr) -> bool:
        """``next(batches)[0].cuda()``: a batch without a name."""
        inner = strip_subscripts(func.value) if isinstance(func, ast.Attribute) else None
        if not isinstance(inner, ast.Call) or is_device_copy(inner, self.recorder, scope):
            return False
        flow = self.recorder.loader_flow
        return last_name(inner.func) in flow.requesting_names and bool(
            flow.find_batches(inner, scope)
        )

    def _record_host_array(
        self, scope: CodeScope, step: CodeStep, node: ast.Call, root: str
    ) -> None:
        after = is_made_tensor_again(self.recorder, scope, step, node, root)
        self.recorder.add_event(
            HostArray(again=after, in_loop=self.loop_index), scope, step, unparse_short(node)
        )

    def _record_copy(
        self,
        scope: CodeScope,
        step: CodeStep,
        node: ast.Call,
        *,
        of_batch: bool,
        fresh: bool,
    ) -> None:
        """A copy to the device: of the batch, of something made here, of another."""
        func = node.func
        words = {word.arg: word.value for word in node.keywords}
        given = words.get("non_blocking", words.get("async"))
        if given is None and isinstance(func, ast.Attribute) and func.attr == "cuda":
            if node.args and isinstance(node.args[0], ast.Constant):
                given = node.args[0] if isinstance(node.args[0].value, bool) else None
        value = self.recorder.values.resolve(given, scope)
        inner = find_copied(node)
        kind: type[BatchCopy] = DeviceCopy if of_batch else OtherCopy
        variable = find_flow_key(inner) if inner is not None else ""
        if self._creates_tensor(scope, node) and not is_made_once(step.context, scope):
            kind, variable = CreatedThenMoved, find_kept_key(node)
        details = kind(
            in_loop=self.loop_index,
            non_blocking=value.value is True,
            unknown=not value.is_known,
            placed=inner in node.args,
            fresh=fresh,
            variable=variable,
            pins=isinstance(inner, ast.Call) and last_name(inner.func) == "pin_memory",
        )
        if isinstance(details, CreatedThenMoved):
            details = replace(details, made_line=find_made(scope, node))
        self.recorder.add_event(
            details, scope, step, unparse_short(node), caller_guards=self.guards
        )

    def _creates_tensor(self, scope: CodeScope, node: ast.Call) -> bool:
        single = self.recorder.loops[self.loop_index].single  # it may be given lists
        return creates_then_moves(self.recorder, scope, node, in_callee=self.depth > 0 or single)

    def _record_sync(
        self,
        scope: CodeScope,
        step: CodeStep,
        how: str,
        *,
        host: bool,
        raised: bool,
        asked: tested_values.Question | None = None,
    ) -> None:
        """The host waits for the device."""
        passed = list_passed_intervals(self.recorder.project, scope, step)
        if self.depth > MAX_DEPTH:
            return
        own = [one for one in step.context.guards if not _has_other_way(scope, one)]
        if any(is_switched_off(self.recorder, scope, guard) for guard in (*self.guards, *own)):
            return
        self.recorder.add_event(
            HostRead(
                in_loop=self.loop_index,
                how=how,
                host=host,
                raised=raised,
                asked=tested_values.find_question(scope, step) if asked is None else asked,
                total=read_numbers.find_total(scope, step.node),
                logged=read_numbers.find_logged_tensor(scope, step.node),
                parts=raised and read_numbers.reads_parts(self.recorder.loop_indices, scope, step),
            ),
            scope,
            step,
            unparse_short(step.node),
            caller_guards=(*self.guards, *passed),
        )


def _has_other_way(scope: CodeScope, guard: GuardCondition) -> bool:
    """Is there an ``else``, so that the option chooses one of two ways of the same step?"""
    branch = scope.branches.get(id(guard.test))
    return branch is not None and bool(branch.orelse)
