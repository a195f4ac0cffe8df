"""What `check` says of this machine, in all formats, and field by field against nvidia-smi."""

import json
from typing import Any

from benchmarks.gpu import smi
from benchmarks.gpu.processes import Completed
from benchmarks.gpu.results import Table
from benchmarks.gpu.session import Session, read_json, say, say_not_possible

FORMATS = ("text", "json", "markdown", "html", "sarif", "junit")
TEMPERATURE_SLACK = 2
HARMFUL = ("breaks", "risks", "slows")


def measure(session: Session) -> None:
    """The recording comes first: whatever fails later, it is there."""
    report = _record(session)
    before = _ask_smi(session)
    facts = _read_unredacted(session)
    after = _ask_smi(session)
    session.results.put_table(session.part, compare_fields(session, facts, before, after))
    session.results.put_table(session.part, list_findings(report))
    session.results.put_table(session.part, _run_formats(session, report))
    session.results.put_table(session.part, _judge_collect_env(session, report))


def _read_unredacted(session: Session) -> dict[str, Any]:
    """The GPU's facts with their real UUIDs; nobody else gets to see them."""
    only = ("--quick", "--select", "gpu-throttled", "--no-redact", "--format", "json")
    return read_json(session.pipedoctor("check", *only, limit=30))


def _ask_smi(session: Session) -> smi.SmiLog | str:
    """What nvidia-smi says, or why it says nothing."""
    done = session.run(["nvidia-smi", "-q", "-x"], 30)
    if done.code:
        return done.last_line
    session.results.write_text("nvidia-smi.xml", done.out)
    try:
        return smi.parse_xml(done.out)
    except ValueError as error:
        return str(error)


def _record(session: Session) -> dict[str, Any]:
    done = session.pipedoctor("check", *session.examined, "--format", "json", limit=60)
    report = read_json(done)
    if not report:
        message = f"check printed no report: {done.last_line}"
        raise RuntimeError(message)
    session.results.put_recording(report)
    text = session.pipedoctor("check", *session.examined, "--format", "text", limit=60)
    session.results.write_text(f"{session.results.card.slug}.txt", text.out)
    return report


def compare_fields(
    session: Session,
    report: dict[str, Any],
    before: smi.SmiLog | str,
    after: smi.SmiLog | str,
) -> Table:
    """Every field of every GPU: equal, or not supported by both."""
    table = Table("Field by field", ("GPU", "field", "pipedoctor", "nvidia-smi", ""))
    facts = report.get("facts", {"known": {}, "unknown": {}})
    gpu = facts["known"].get("gpu")
    if gpu is None:
        why = str(facts["unknown"].get("gpu", "no fact"))
        table.rows.append(["", "all", f"no facts of GPUs: {why}", "", say(right=False)])
        return table
    if isinstance(before, str) or isinstance(after, str):
        table.notes.append(f"nvidia-smi does not answer: {before or after}.")
        return table
    for field, own, theirs in (
        ("driver", gpu["driver"], before.driver),
        ("cuda", gpu["cuda"], before.cuda),
        ("count", len(gpu["devices"]), len(before.gpus)),
    ):
        table.rows.append(["", field, str(own), str(theirs), say(own == theirs)])
    for device, first, last in zip(gpu["devices"], before.gpus, after.gpus, strict=False):
        table.rows += _compare_device(session, device, first, last)
    return table


def _compare_device(
    session: Session, device: dict[str, Any], first: smi.SmiGpu, last: smi.SmiGpu
) -> list[list[str]]:
    rows: list[list[str]] = []
    for field in smi.FIELDS:
        own, theirs, later = _plain(device[field]), first.fields[field], last.fields[field]
        right = is_same(field, own, theirs, later)
        shown = _show(theirs) if theirs == later else f"{_show(theirs)}, then {_show(later)}"
        reason = device["unknown"].get(_QUESTIONS.get(field, field), "")
        rows.append(
            [str(device["index"]), field, f"{_show(own)} {reason}".strip(), shown, say(right)]
        )
    number = str(device["index"])
    asked = session.run(
        ["nvidia-smi", "--query-gpu=compute_cap", "--format=csv,noheader", "-i", number], 20
    )
    capability = asked.out.strip() if not asked.code else ""
    own = device["capability"]
    verdict = say(own == capability) if capability else say_not_possible(asked.last_line)
    rows.append([number, "capability", own, capability, verdict])
    node, theirs = device["numa_node"], smi.read_numa_node(first.address)
    rows.append([number, "numa_node", _show(node), _show(theirs), say(node == theirs)])
    return rows


_QUESTIONS = {"remap_pending": "remapped_rows", "remap_failed": "remapped_rows"}
"""Fields whose reason stands under the name of their question."""


def _plain(value: Any) -> Any:
    """As the XML has it: empty is nothing, lists are tuples."""
    if value == "":
        return None
    return tuple(value) if isinstance(value, list) else value


def is_same(field: str, own: Any, before: Any, after: Any) -> bool:
    """Equal to one of two readings, or between them where the field moves."""
    if own in (before, after):
        return True
    if field not in smi.MOVING or own is None or before is None or after is None:
        return False
    if field == "throttled":
        return set(own) <= set(before) | set(after)
    slack = TEMPERATURE_SLACK if field == "temperature" else 0
    low, high = min(before, after) - slack, max(before, after) + slack
    return bool(low <= own <= high) or field == "utilisation"


def _show(value: Any) -> str:
    if value is None:
        return "not supported"
    return ", ".join(map(str, value)) or "none" if isinstance(value, tuple) else str(value)


def list_findings(report: dict[str, Any]) -> Table:
    """What it finds on a machine that is taken to be healthy; notes do not count."""
    table = Table("Findings on this machine", ("severity", "name", "summary", ""))
    for finding in report["findings"]:
        severity = str(finding["severity"])
        verdict = "to be judged by a reader" if severity in HARMFUL else ""
        table.rows.append([severity, finding["name"], finding["summary"], verdict])
    skipped = [s for s in report["skipped"] if s.get("applicable", True)]
    table.notes += [f"Skipped: `{s['name']}`: {s['reason']}." for s in skipped]
    return table


def _run_formats(session: Session, report: dict[str, Any]) -> Table:
    table = Table("Commands", ("command", "exit code", "seconds", "bytes", ""))
    names = sorted(f["name"] for f in report["findings"])
    for form in FORMATS:
        done = session.pipedoctor("check", *session.examined, "--format", form, limit=40)
        right = done.code in {0, 1} and bool(done.out) and "Traceback" not in done.err
        table.rows.append(_describe_command(f"check --format {form}", done, len(done.out), right))
    file = str(session.scratch / "again.json")
    (session.scratch / "again.json").write_text(json.dumps(report), "utf-8")
    done = session.pipedoctor("check", "--from", file, "--format", "json", limit=40)
    again = sorted(f["name"] for f in read_json(done).get("findings", ()))
    table.rows.append(
        _describe_command("check --from its report", done, len(done.out), again == names)
    )
    archive = session.scratch / "attachment.zip"
    done = session.pipedoctor(
        "report", *session.examined, "--all", "-o", str(archive), "--no-keep", limit=60
    )
    size = archive.stat().st_size if archive.exists() else 0
    table.rows.append(_describe_command("report --all", done, size, bool(size)))
    return table


def _describe_command(name: str, done: Completed, size: int, right: bool) -> list[str]:
    verdict = say(right, done.last_line[:200])
    return [name, str(done.code), f"{done.seconds:.1f}", str(size), verdict]


def _judge_collect_env(session: Session, report: dict[str, Any]) -> Table:
    """What torch writes of this machine, judged as a stranger's, against our own facts."""
    table = Table("collect_env of this machine", ("fact", "check", "check --from", ""))
    code = ["-m", "torch.utils.collect_env"]
    done = session.run([session.place.machine_python, *code], 60)
    if done.code or not done.out:
        table.notes.append(f"torch.utils.collect_env does not run here: {done.last_line}.")
        return table
    session.results.write_text("collect-env.txt", done.out)
    judged = session.pipedoctor(
        "check", "--from", "-", "--format", "json", limit=40, given=done.out
    )
    other = read_json(judged)
    if not other:
        table.rows.append(["report", "", judged.last_line, say(right=False)])
        return table
    for path in ("gpu.driver", "torch.version", "torch.cuda", "interpreter.version"):
        own, theirs = _look_up(report, path), _look_up(other, path)
        known = own is not None and theirs is not None
        verdict = say(own == theirs) if known else say_not_possible("one of them does not say")
        if session.place.dry_run and not path.startswith("gpu."):
            verdict = say_not_possible("a dry run examines another torch")
        table.rows.append([path, str(own), str(theirs), verdict])
    own_names = [d["name"] for d in (_look_up(report, "gpu.devices") or ())]
    their_names = [d["name"] for d in (_look_up(other, "gpu.devices") or ())]
    verdict = say(own_names == their_names) if own_names and their_names else "not said"
    table.rows.append(["gpu.devices", ", ".join(own_names), ", ".join(their_names), verdict])
    return table


def _look_up(report: dict[str, Any], path: str) -> Any:
    section, _, field = path.partition(".")
    return (report["facts"]["known"].get(section) or {}).get(field) or None
