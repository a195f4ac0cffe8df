"""What a function returns that a batch has been handed to."""

from pipedoctor.source.detect.batch_events import BatchEvents
from pipedoctor.source.detect.device_copies import is_device_copy
from pipedoctor.source.detect.flow_state import FlowState
from pipedoctor.source.detect.host_tensors import is_made_on_host
from pipedoctor.source.detect.value_uses import is_read_by_host
from pipedoctor.source.resolve.returned_values import returned_values
from pipedoctor.source.syntax.scope import CodeScope


def find_returned_kinds(flow: BatchEvents, target: CodeScope, state: FlowState) -> frozenset[str]:
    """What a function returns: a batch, one on the device, something computed there."""
    kinds: set[str] = set()
    values = returned_values(target)
    if values and all(
        is_read_by_host(target, value) or is_made_on_host(flow.recorder, target, value)
        for value in values
    ):
        kinds.add("host")
    for value in values:
        names = flow.names.of_tensors(value)
        calls = flow.names.calls_in(value)
        if any(is_device_copy(one, flow.recorder, target) for one in calls):
            kinds |= {"device", "batch"}
        elif names & state.results:
            kinds.add("results")
        elif names & state.on_device.keys():
            kinds |= {"device", "batch"}
        elif names & state.batch:
            kinds.add("batch")
        if names & state.fresh_on_host:
            kinds.add("fresh")
    return frozenset(kinds)
