"""A line of text for each interval, in 80 columns and without color."""

from collections.abc import Iterable, Mapping
from typing import Any

from pipedoctor.check import Gain
from pipedoctor.report.sentences import MIN_GAIN, clean_text, describe_gain
from pipedoctor.units import format_count

_DATA_WAIT_LIMIT = 0.15
_FINE = ("bottleneck-consumer", "bottleneck-main-thread")


def format_text_line(sample: Mapping[str, Any], width: int = 80) -> str:
    """``  12 s  wait 74%  storage-latency  train.py:9 98%  pread64``, cut to width."""
    parts = [f"{sample.get('seconds', 0.0):5.0f} s"]
    wait = sample.get("data_wait")
    if wait is None or not sample.get("samples"):
        denied = "stacks" in sample.get("unknown", {})
        parts.append("no stacks" if denied else "nothing seen yet")
        return _truncate("  ".join([*parts, *_list_counters(sample)]), width)
    rank = f"{_name_rank(sample)} " if len(sample.get("ranks", ())) > 1 else ""
    parts.append(f"{rank}wait {wait['share']:4.0%}")
    workers = sample.get("workers", {})
    if workers.get("number"):
        many = format_count(workers["number"], "worker")
        parts.append(f"{many} {1 - workers['idle']:.0%} busy")
    parts += _list_gpus(sample)
    if "verdict" in sample:
        name = str(sample["verdict"]).removeprefix("bottleneck-")
        parts.append(name + ("?" if sample.get("confidence") == "possible" else ""))
    hot = _place(sample)
    if hot:
        file = str(hot["path"]).rpartition("/")[2]
        parts.append(f"{file}:{hot['line']} {hot['share']:.0%}")
    kernel = sample.get("kernel")
    if kernel and wait["share"] >= _DATA_WAIT_LIMIT:
        parts.append(str(kernel["call"]))
    return _truncate("  ".join(clean_text(part) for part in parts), width)


def _name_rank(sample: Mapping[str, Any]) -> str:
    """The rank that waits longest: it comes first."""
    return f"rank {sample['rank']}" if "rank" in sample else next(iter(sample["ranks"]))


def _list_counters(sample: Mapping[str, Any]) -> list[str]:
    """What the kernel says without a stack: ``CPU 98%``, ``2 workers 180%``, ``queue 3%``."""
    rows = sample.get("processes", ())
    mains = [row for row in rows if row["role"] != "worker"]
    workers = [row for row in rows if row["role"] == "worker"]
    parts = [f"CPU {share:.0%}" for share in _sum_known(mains, "cpu")]
    many = format_count(len(workers), "worker")
    parts += [f"{many} {share:.0%}" for share in _sum_known(workers, "cpu")]
    parts += [f"run queue {share:.0%}" for share in _sum_known(rows, "run_queue")]
    parts += _list_gpus(sample)
    pressure = sample.get("pressure", {}).get("io")
    return parts if pressure is None else [*parts, f"I/O pressure {pressure:.0%}"]


def _sum_known(rows: Iterable[Mapping[str, Any]], name: str) -> list[float]:
    """The sum, or nothing where no process has this figure."""
    known = [float(row[name]) for row in rows if row.get(name) is not None]
    return [sum(known)] if known else []


def _list_gpus(sample: Mapping[str, Any]) -> list[str]:
    gpus = [g["busy"] for g in sample.get("gpus", ()) if g.get("busy") is not None]
    return [f"GPU {busy:.0%}" for busy in gpus[:1]]


def format_headline(sample: Mapping[str, Any], gain: Gain | None = None) -> str:
    """The verdict in one line: its name, the line of code at fault, and what that costs."""
    name = sample.get("verdict", "")
    hot = _place(sample)
    if not name:
        return ""
    where = f" at {hot['path']}:{hot['line']}" if hot else ""
    inside = f" in {hot['function']}" if hot and hot.get("function") else ""
    saves = ""
    if gain is not None and gain.value >= MIN_GAIN:
        what = describe_gain(gain)
        saves = f" ({what[0].lower()}{what[1:].partition(' (')[0]}, {gain.basis})"
    return clean_text(f"{name}{where}{inside}{saves}: {sample.get('why', '')}")


def _place(sample: Mapping[str, Any]) -> Any:
    """The line at fault; before the verdict, of making batches or of the step."""
    if "location" in sample:
        return sample["location"]
    wait = sample.get("data_wait", {}).get("share", 0.0)
    fine = sample.get("verdict") in _FINE or wait < _DATA_WAIT_LIMIT
    return sample.get("step" if fine else "hot")


def _truncate(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: max(0, width - 3)]}..."
