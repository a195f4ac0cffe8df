"""The way of a loader to its loop, for the findings that concern one of them."""

from collections.abc import Sequence
from typing import TypeAlias

from msgspec.structs import replace

from pipedoctor.check import Finding, Verdict
from pipedoctor.check.model import FlowStep
from pipedoctor.check.places import join_cell, to_location
from pipedoctor.facts import Facts, Source
from pipedoctor.facts.source import Loop, Spot

Flow: TypeAlias = tuple[FlowStep, ...]
_Place: TypeAlias = tuple[str, int, int]


def add_flows(verdicts: Sequence[Verdict], facts: Facts) -> list[Verdict]:
    """The verdicts, with the flow of each finding whose loader goes through functions."""
    source = facts.get(Source)
    known = _flows_by_place(source) if source is not None else {}
    if not known:
        return list(verdicts)
    return [
        replace(one, findings=tuple(_with_flow(found, known) for found in one.findings))
        for one in verdicts
    ]


def _with_flow(finding: Finding, flows: dict[_Place, Flow]) -> Finding:
    at = finding.location
    flow = flows.get((at.path, at.line, at.column)) if at is not None else None
    return replace(finding, flow=flow) if flow and not finding.flow else finding


def _flows_by_place(source: Source) -> dict[_Place, Flow]:
    """By the calls that make loaders, and by what happens in their loops."""
    found: dict[_Place, Flow] = {}
    flows = [_convert(loop) for loop in source.loops]
    for loader in source.loaders:
        numbers = [number for number in loader.fed if 0 <= number < len(flows)]
        fed = sorted(numbers, key=lambda number: source.loops[number].role != "train")
        flow = next((flows[number] for number in fed if flows[number]), ())
        for spot in loader.places if flow else ():
            found.setdefault(_place_of(spot), flow)
    for event in source.events:
        if 0 <= event.loop < len(flows) and flows[event.loop]:
            found.setdefault(_place_of(event.at), flows[event.loop])
    return found


def _convert(loop: Loop) -> Flow:
    return tuple(FlowStep(location=to_location(spot), text=text) for spot, text in loop.flow)


def _place_of(spot: Spot) -> _Place:
    return join_cell(spot.path, spot.cell), spot.line, spot.column
