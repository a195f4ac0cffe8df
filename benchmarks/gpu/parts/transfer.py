"""`bench transfer` beside CUDA's own events, and decoding on the GPU beside `bench decode`."""

import json
from typing import Any

from benchmarks.gpu.results import Table
from benchmarks.gpu.session import Session, read_json, say, say_not_possible

SIZES = (1 << 20, 1 << 24, 1 << 27)
DRY_SIZES = (1 << 20,)
RATE_TOLERANCE = 0.10
"""Of large copies; small ones are mostly the call, which events do not see."""
LARGE = 1 << 24
RETURNS_AT_ONCE = 0.5
"""Of the copy's time: a call that is back sooner did not wait for the copy."""


def measure(session: Session) -> None:
    """One size after the other, the reference first."""
    sizes = DRY_SIZES if session.place.dry_run else SIZES
    reference = _measure_events(session, sizes)
    session.results.put_table(session.part, list_behaviour(session, reference))
    table = Table(
        "bench transfer beside CUDA events",
        ("bytes", "copy", "bench transfer, GB/s", "events, GB/s", "ratio", ""),
    )
    for size in sizes:
        _compare_size(session, table, size, reference.get(size, {}))
        session.results.put_table(session.part, table)
    _measure_decoding(session)


def _measure_events(session: Session, sizes: tuple[int, ...]) -> dict[int, dict[str, list[float]]]:
    done = session.program("events.py", session.device, *map(str, sizes), limit=60)
    found: dict[int, dict[str, list[float]]] = {}
    for line in done.out.splitlines():
        if line.startswith("{"):
            answer = json.loads(line)
            found[answer["size"]] = answer["copies"]
    return found


def list_behaviour(session: Session, reference: dict[int, dict[str, list[float]]]) -> Table:
    """What the pages of checks say of pinned memory and non_blocking, seen by events."""
    table = Table("What pinning and non_blocking do", ("statement", "seen", ""))
    size = max(reference, default=0)
    if session.place.dry_run or size < LARGE:
        table.notes.append("Not judged: no GPU was measured.")
        return table
    copies = reference[size]
    faster = copies["pinned"][0] / copies["pageable"][0]
    back = {name: returns * rate / size for name, (rate, returns) in copies.items()}
    for check, statement, seen, right in (
        ("pin-memory-missing", "pinned is faster than pageable", f"{faster:.2f} times", faster > 1),
        (
            "nonblocking-unpinned",
            "non_blocking from pageable memory waits for the copy all the same",
            f"back after {back['pageable, non_blocking']:.0%} of the copy",
            back["pageable, non_blocking"] > RETURNS_AT_ONCE,
        ),
        (
            "pinned-blocking",
            "a pinned copy without non_blocking waits",
            f"back after {back['pinned']:.0%} of the copy",
            back["pinned"] > RETURNS_AT_ONCE,
        ),
        (
            "pinned-blocking",
            "with non_blocking it does not",
            f"back after {back['pinned, non_blocking']:.0%} of the copy",
            back["pinned, non_blocking"] < RETURNS_AT_ONCE,
        ),
    ):
        table.rows.append([f"`{check}`: {statement}", seen, say(right)])
        if right:
            session.results.mark_seen(check, f"transfer: {statement}, {seen}")
    return table


def _compare_size(
    session: Session, table: Table, size: int, reference: dict[str, list[float]]
) -> None:
    done = session.pipedoctor(
        *("bench", "transfer", "--batch-bytes", str(size), "--budget", "25"),
        *("--python", session.place.machine_python, "--format", "json"),
        limit=40,
    )
    fact = read_json(done).get("facts", {}).get("known", {}).get("bench_transfer")
    if fact is None:
        reason = done.last_line
        no_gpu = session.place.dry_run and "no usable GPU" in reason
        verdict = say_not_possible("no GPU") if no_gpu else say(right=False)
        table.rows.append([str(size), "all", reason, "", "", verdict])
        return
    for copy in fact["copies"]:
        rate = copy["rate"]["value"]
        other = reference.get(copy["name"], [0.0])[0]
        table.rows.append([str(size), copy["name"], *_compare_rates(rate, other, size)])
    for step in fact["steps"]:
        hidden = f"{step['hidden']:.0%} of the copy is hidden" if step["hidden"] is not None else ""
        table.rows.append([str(size), step["name"], hidden, "", "", ""])


def _compare_rates(rate: float, other: float, size: int) -> list[str]:
    if not other:
        return [f"{rate / 1e9:.2f}", "", "", ""]
    ratio = rate / other
    verdict = say(abs(ratio - 1) <= RATE_TOLERANCE) if size >= LARGE else ""
    return [f"{rate / 1e9:.2f}", f"{other / 1e9:.2f}", f"{ratio:.2f}", verdict]


def _measure_decoding(session: Session) -> None:
    table = Table("Decoding", ("decoder", "images a second", ""))
    done = session.program("gpu_decoder.py", session.device, limit=40)
    answer = read_json(done)
    for name, rate in answer.get("rates", {}).items():
        table.rows.append([name, f"{rate:,.0f}", ""])
    for name, why in answer.get("unknown", {}).items():
        table.rows.append([name, "", say_not_possible(why)])
    if not answer:
        table.rows.append(["torchvision", "", say_not_possible(done.last_line)])
    session.results.put_table(session.part, table)
    done = session.pipedoctor(
        *("bench", "decode", "--budget", "5" if session.place.dry_run else "20"),
        *("--python", session.place.machine_python, "--format", "json"),
        limit=45,
    )
    fact: dict[str, Any] = read_json(done).get("facts", {}).get("known", {}).get("bench_decode", {})
    for path in fact.get("paths", ()):
        name = f"bench decode: {path['name']}, {path['task']}"
        rate = path["rate"]["value"] if path["rate"] else None
        shown = f"{rate:,.0f}" if rate else ""
        table.rows.append([name, shown, say_not_possible(path["unknown"]) if not rate else ""])
    if not fact:
        busy = session.place.dry_run  # its budget is short
        verdict = say_not_possible(done.last_line) if busy else say(False, done.last_line)
        table.rows.append(["bench decode", "", verdict])
    session.results.put_table(session.part, table)
