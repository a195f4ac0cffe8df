"""Which class has the details of a kind, by the kind's name in JSON."""

from collections.abc import Mapping

from pipedoctor.facts.code_events import dataset, images, item, program, seeds, training
from pipedoctor.facts.code_events.details import EventDetails

EVENT_KINDS: Mapping[str, type[EventDetails]] = {
    one.kind: one
    for family in (item, images, dataset, seeds, training, program)
    for one in vars(family).values()
    if isinstance(one, type) and issubclass(one, EventDetails) and one.kind
}
