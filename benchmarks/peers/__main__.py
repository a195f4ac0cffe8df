"""
Install the peers, run them beside pipedoctor, write docs/benchmarks/peers.md.

``python -m benchmarks.peers [--folder DIR] [--pipedoctor WHAT] [--only PART]``, as root
on Linux with gcc: each peer gets a virtual environment in the folder (some 12 GB in
all) with the same torch for CPUs, and no network when it runs. What was measured is
kept in the folder, so that one part can be measured again, or only the page be
written (`--only page`).
"""

import argparse
import datetime as dt
import json
import os
import platform
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.peers import install, page
from benchmarks.peers.bench import CUT, PeerBench
from benchmarks.peers.faults import LISTED
from benchmarks.peers.tools import PIPEDOCTOR, TOOLS

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "benchmarks" / "peers.md"
PARTS = ("time", "faults", "features")
RATIO_GOAL = 1.3
QUIET = 1.5
NAMES = [tool.name for tool in TOOLS]
OURS = PIPEDOCTOR.name


def measure_part(bench: PeerBench, part: str, lanes: int) -> dict[str, Any]:
    """Measure one part; when, and how busy the machine was, stands beside it."""
    busy = os.getloadavg()[0]
    today = str(dt.datetime.now(tz=dt.timezone.utc).date())
    if part == "time":
        found: dict[str, Any] = {"timings": [asdict(one) for one in bench.measure_timings()]}
    elif part == "faults":
        rows, warned = bench.measure_faults(lanes)
        found = {"rows": [asdict(row) for row in rows], "alarms": warned}
    else:
        found = {"rows": [asdict(row) for row in bench.measure_features()]}
    after = os.getloadavg()[0]
    return found | {"date": today, "busy": [busy, after], "rounds": bench.rounds}


def render_lines(results: dict[str, Any], versions: Sequence[str]) -> Iterator[str]:
    """The page."""
    time, faults, asked = (results[part] for part in PARTS)
    yield "# pipedoctor and its peers, side by side"
    yield ""
    yield (
        f"Written by `python -m benchmarks.peers` on {time['date']}: {os.cpu_count()}"
        f" CPUs ({platform.machine()}), {platform.system()}, no GPU, CPython"
        f" {platform.python_version()}, torch 2.13.0 for CPUs in every environment."
        f" Versions: {', '.join(versions)}."
    )
    yield from ("", "## Time and memory on the clean machine", "")
    timings = [page.CommandTiming(**one) for one in time["timings"]]
    yield from (
        _describe_load(time),
        "",
        *page.timing_table(timings),
        "",
        _describe_ratio(timings),
        "",
    )
    rows = [page.PeerRow(**row) for row in faults["rows"]]
    yield from _render_faults(rows, faults["alarms"])
    answers = [page.PeerRow(**row) for row in asked["rows"]]
    yield from ("", "## What could be decided by running", "")
    yield from page.tool_matrix(answers, NAMES, "asked")
    yield from ("", *page.list_missed_rows(answers, OURS))


def _render_faults(rows: Sequence[page.PeerRow], alarms: dict[str, list[str]]) -> Iterator[str]:
    listed = rows[: len(LISTED)]
    yield from ("## Faults made on purpose", "", RULES, "")
    yield from page.tool_matrix(listed, NAMES, "fault")
    yield from ("", "And others that pipedoctor claims to know:", "")
    yield from page.tool_matrix(rows[len(LISTED) :], NAMES, "fault")
    yield from ("", "### How many each reports", "")
    first, every = page.count_reported(listed, NAMES), page.count_reported(rows, NAMES)
    head = ("tool", f"of the first {len(listed)}", f"of all {len(rows)}", "alarms")
    ranked = sorted(NAMES, key=lambda name: -every[name])
    yield from page.markdown_table(
        head, [(n, str(first[n]), str(every[n]), str(len(alarms[n]))) for n in ranked]
    )
    yield from ("", "*Alarms*: on the clean machine, where nothing is wrong:", "")
    yield from (f"- {n}: `{line}`" for n in NAMES for line in alarms[n][:8])
    behind = page.list_missed_rows(rows, OURS)
    if behind:
        yield from ("", "### Where pipedoctor is not first", "", *behind)


RULES = (
    "Each fault is made in a private mount namespace, each tool runs once, with"
    f" {CUT:.0f} s to answer and no network. **yes**: reported. A peer reports a fault"
    " when a line that the clean machine does not bring is about it, and that line or"
    " one of two beside it says that something is wrong; without such a word it *shows*"
    " a fact; in doubt it reports, also where it only passes on a warning of torch."
    " pipedoctor reports a fault when its JSON has a finding, above a note, of a name"
    " that was written down for the fault. *crash*: ends with a traceback. *hangs*:"
    " did not answer. *real*: a short program works on the clean machine and fails"
    " under the fault; GPUs and drivers are stand-ins. What the user of pipedoctor adds"
    " about the job stands in the row. The rules are `benchmarks/peers/faults.py` and"
    " `judge.py`. preflight-ml and TorchFix were made for other questions (data, code)"
    " and stand here for completeness."
)


def _describe_load(time: dict[str, Any]) -> str:
    before, after = time["busy"]
    words = ", which disturbed it" if before > QUIET else ""
    return (
        f"Medians of {time['rounds']} rounds in which all commands take turns, warm"
        f" caches; load of the machine {before:.1f} before, {after:.1f} after{words}."
    )


def _describe_ratio(timings: Sequence[page.CommandTiming]) -> str:
    walls = {timing.name: timing.median_wall for timing in timings}
    ratio = walls["pipedoctor check"] / walls["python -c 'import torch'"]
    met = "met" if ratio <= RATIO_GOAL else "NOT met"
    return (
        f"`pipedoctor check` takes {ratio:.2f} times as long as `import torch` alone;"
        f" at most {RATIO_GOAL} times was the goal: {met}. (It imports torch in a"
        " process that ends at once; `python -c` first takes the interpreter apart.)"
    )


def main() -> None:
    """Install, measure, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    cache = Path(os.environ.get("XDG_CACHE_HOME", "~/.cache")).expanduser()
    parser.add_argument("--folder", type=Path, default=cache / "pipedoctor-peers")
    parser.add_argument("--pipedoctor", default=str(ROOT))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--lanes", type=int, default=2)
    parser.add_argument("--only", choices=(*PARTS, "page"), action="append")
    parser.add_argument("--output", type=Path, default=PAGE)
    asked = parser.parse_args()
    folder = asked.folder.absolute()
    install.install_all(folder, asked.pipedoctor)
    kept = folder / "measured.json"
    known: dict[str, Any] = json.loads(kept.read_text()) if kept.exists() else {}
    for part in [p for p in asked.only or PARTS if p in PARTS]:
        known[part] = measure_part(PeerBench(folder, asked.rounds), part, asked.lanes)
        kept.write_text(json.dumps(known, indent=1))
    text = "\n".join(render_lines(known, install.installed_versions(folder))) + "\n"
    asked.output.write_text(text)
    print(text)


if __name__ == "__main__":
    main()
