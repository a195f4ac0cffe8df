"""A line of text for each interval, in 80 columns and without color."""

from collections.abc import Mapping
from typing import Any

from pipedoctor.report.sentences import clean_text
from pipedoctor.units import format_count

_DATA_WAIT_LIMIT = 0.15
_FINE = ("bottleneck-consumer", "bottleneck-main-thread")


def format_text_line(sample: Mapping[str, Any], width: int = 80) -> str:
    """``  12 s  wait 74%  storage-latency  train.py:9 98%  pread64``, cut to width."""
    parts = [f"{sample.get('seconds', 0.0):5.0f} s"]
    wait = sample.get("data_wait")
    if wait is None or not sample.get("samples"):
        reason = sample.get("unknown", {}).get("stacks", "nothing seen yet")
        return _truncate("  ".join([*parts, clean_text(str(reason))]), width)
    rank = f"rank {sample['rank']} " if len(sample.get("ranks", ())) > 1 else ""
    parts.append(f"{rank}wait {wait['share']:4.0%}")
    workers = sample.get("workers", {})
    if workers.get("number"):
        many = format_count(workers["number"], "worker")
        parts.append(f"{many} {1 - workers['idle']:.0%} busy")
    gpus = [g["busy"] for g in sample.get("gpus", ()) if g.get("busy") is not None]
    parts += [f"GPU {busy:.0%}" for busy in gpus[:1]]
    if "verdict" in sample:
        name = str(sample["verdict"]).removeprefix("bottleneck-")
        parts.append(name + ("?" if sample["confidence"] == "possible" else ""))
    hot = _place(sample)
    if hot:
        file = str(hot["path"]).rpartition("/")[2]
        parts.append(f"{file}:{hot['line']} {hot['share']:.0%}")
    kernel = sample.get("kernel")
    if kernel and wait["share"] >= _DATA_WAIT_LIMIT:
        parts.append(str(kernel["call"]))
    return _truncate("  ".join(clean_text(part) for part in parts), width)


def format_headline(sample: Mapping[str, Any]) -> str:
    """The verdict in one line: its name, and the line of code at fault."""
    name = sample.get("verdict", "")
    hot = _place(sample)
    if not name:
        return ""
    where = f" at {hot['path']}:{hot['line']}" if hot else ""
    inside = f" in {hot['function']}" if hot and hot.get("function") else ""
    return clean_text(f"{name}{where}{inside}: {sample.get('why', '')}")


def _place(sample: Mapping[str, Any]) -> Any:
    """The line at fault; before the verdict, of making batches or of the step."""
    if "location" in sample:
        return sample["location"]
    wait = sample.get("data_wait", {}).get("share", 0.0)
    fine = sample.get("verdict") in _FINE or wait < _DATA_WAIT_LIMIT
    return sample.get("step" if fine else "hot")


def _truncate(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: max(0, width - 3)]}..."
