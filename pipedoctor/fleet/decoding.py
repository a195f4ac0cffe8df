"""From the bytes of a report to its properties, each distinct one held only once."""

from collections.abc import Mapping
from typing import Any, ClassVar, TypeAlias

import msgspec

from pipedoctor.facts import SECTIONS, Accelerators, Fact, Gpu, Node
from pipedoctor.fleet.reports import (
    MAX_INTEGER,
    NodeFinding,
    ReportEnvelope,
    UnreadableReportError,
    decode_envelope,
    describe_wrong_types,
)
from pipedoctor.fleet.sections import list_properties

Row: TypeAlias = tuple[tuple[str, Any], ...]
"""Properties of one section: names and values, in the order of the section."""
SEVERITIES = ("note", "slows", "risks", "breaks")
IGNORED_SECTIONS = frozenset(("source", "pipeline", "project_record", "loader", "node"))
"""Sections about a job, not about a node; `node` is its name."""
_CACHE_SIZE = 256
"""Sections that many nodes have in common are decoded once."""
_MIN_CACHED_BYTES = 1024
"""Bytes from which on a section is worth remembering."""


class PackageVersion(msgspec.Struct, frozen=True, gc=False):
    """Of a distribution what a fleet compares; a report holds some hundred."""

    name: str
    version: str


class PackageVersions(Fact, frozen=True, kw_only=True):
    """The fact `packages` without what is each node's own, such as folders."""

    section: ClassVar[str] = "packages"

    entries: tuple[PackageVersion, ...] = ()
    complete: bool = True


class DecodedReport(msgspec.Struct, frozen=True, gc=False):
    """One report as a fleet compares it."""

    node: str
    """Empty: the report does not name its node."""
    created: str
    instant: float
    rows: dict[str, Row]
    """By section."""
    findings: tuple[NodeFinding, ...]
    hardware: tuple[str, ...]
    """PCI ids of its GPUs, ``10de:2330``, or their names where nobody knows those."""


_NOTHING_KNOWN = "nothing of its node is known, only why not: nothing can be judged"


class ReportDecoder:
    """Decodes reports one after the other; equal parts of them are one object."""

    def __init__(self) -> None:
        self._decoders = {
            name: msgspec.json.Decoder(kind)
            for name, kind in {**SECTIONS, "packages": PackageVersions}.items()
        }
        self._packages: dict[PackageVersions, Row] = {}
        self._cache: dict[bytes, tuple[Row, tuple[str, ...]]] = {}
        self._rows: dict[Row, Row] = {}
        self._found: dict[NodeFinding, NodeFinding] = {}
        self._texts: dict[str, str] = {}
        self._versions: dict[tuple[str, Any], tuple[str, Any]] = {}

    def decode(self, data: bytes) -> DecodedReport:
        """Read one report; raises UnreadableReportError."""
        found = decode_envelope(data)
        rows: dict[str, Row] = {}
        hardware: dict[str, tuple[str, ...]] = {}
        name = ""
        for section, raw in found.facts.known.items():
            if section not in SECTIONS:
                continue
            if section == "node":
                fact = self._decode_fact(section, raw)
                name = fact.name if isinstance(fact, Node) else ""
                continue
            row, ids = self._decode_section(section, bytes(raw))
            if section not in IGNORED_SECTIONS:
                rows[self._intern_text(section)] = row
            if ids:
                hardware[section] = ids
        cards = hardware.get("accelerators", ())
        if cards and "gpu" in found.facts.unknown:  # they are there, nobody drives them
            why = found.facts.unknown["gpu"]
            rows[self._intern_text("gpu")] = self._intern("gpu", (("gpu.error", why),))
        for missing in _list_missing(found.facts.unknown):
            section = missing.partition(".")[0]
            rows[self._intern_text(section)] = self._intern(section, ((missing, None),))
        if found.facts.unknown and not (rows or found.findings):
            raise UnreadableReportError(_NOTHING_KNOWN)
        return DecodedReport(
            node=name,
            created=found.created,
            instant=found.instant,
            rows=rows,
            findings=self._intern_findings(found),
            hardware=cards or hardware.get("gpu", ()),
        )

    def _decode_section(self, section: str, raw: bytes) -> tuple[Row, tuple[str, ...]]:
        known = self._cache.get(raw) if len(raw) >= _MIN_CACHED_BYTES else None
        if known is not None:
            return known
        fact = self._decode_fact(section, raw)
        row = self._build_row(section, fact)
        result = (row, _read_hardware(fact))
        if len(raw) >= _MIN_CACHED_BYTES:
            _make_room(self._cache)
            self._cache[raw] = result
        return result

    def _build_row(self, section: str, fact: Fact) -> Row:
        if section in IGNORED_SECTIONS:
            return ()
        if isinstance(fact, PackageVersions):  # few differ, and each is large
            known = self._packages.get(fact)
            if known is None:
                pairs = tuple(map(self._intern_version, list_properties(fact).items()))
                _make_room(self._packages)
                known = self._packages[fact] = self._intern(section, pairs)
            return known
        return self._intern(section, tuple(list_properties(fact).items()))

    def _decode_fact(self, section: str, raw: bytes | msgspec.Raw) -> Fact:
        try:
            fact: Fact = self._decoders[section].decode(raw)
        except msgspec.ValidationError as error:
            reason = describe_wrong_types(error, f"facts.known.{section}")
            raise UnreadableReportError(reason) from None
        except RecursionError:
            message = "nested too deep"
            raise UnreadableReportError(message) from None
        return fact

    def _intern(self, section: str, pairs: Row) -> Row:
        known = self._rows.get(pairs)
        if known is not None:
            return known
        whole = pairs
        if section != "packages":
            whole = tuple((self._intern_text(name), value) for name, value in pairs)
        for name, value in whole:
            if isinstance(value, int) and abs(value) >= MAX_INTEGER:
                message = f"facts of wrong types: {section}: {name} is not a size"
                raise UnreadableReportError(message)
        self._rows[whole] = whole
        return whole

    def _intern_findings(self, envelope: ReportEnvelope) -> tuple[NodeFinding, ...]:
        findings: list[NodeFinding] = []
        for one in envelope.findings:
            if one.severity not in SEVERITIES:
                message = f"facts of wrong types: severity {one.severity[:20]!r}"
                raise UnreadableReportError(message)
            fresh = NodeFinding(one.code, one.name, one.severity, one.title)
            findings.append(self._found.setdefault(fresh, fresh))
        return tuple(dict.fromkeys(findings))

    def _intern_version(self, pair: tuple[str, Any]) -> tuple[str, Any]:
        """Of a package: where each node has a list of its own, they have these in common."""
        return self._versions.setdefault(pair, pair)

    def _intern_text(self, text: str) -> str:
        return self._texts.setdefault(text, text)


def _make_room(cache: dict[Any, Any]) -> None:
    if len(cache) >= _CACHE_SIZE:
        cache.clear()


def _list_missing(unknown: Mapping[str, str]) -> tuple[str, ...]:
    """Versions that no peer would be compared with otherwise: there is no Python, no torch."""
    if "interpreter" in unknown:
        return ("interpreter.version",)
    return ("torch.version",) if "torch" in unknown else ()


def _read_hardware(fact: Fact) -> tuple[str, ...]:
    if isinstance(fact, Accelerators):
        cards = fact.nvidia_devices or tuple(d for d in fact.pci or () if d.vendor == "1002")
        return tuple(sorted({f"{d.vendor}:{d.device}" for d in cards}))
    if isinstance(fact, Gpu):
        return tuple(sorted({device.name for device in fact.devices if device.name}))
    return ()
