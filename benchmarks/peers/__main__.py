"""
Install the peers, run them beside pipedoctor, write docs/benchmarks/peers.md.

``python -m benchmarks.peers [--folder DIR] [--pipedoctor WHAT] [--rounds N]``, as root
on Linux with gcc: each peer gets a virtual environment in the folder (some 12 GB in
all) with the same torch for CPUs, and no network when it runs.
"""

import argparse
import datetime as dt
import json
import os
import platform
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import repeat
from pathlib import Path

from benchmarks.peers import features, install, judge, page
from benchmarks.peers.faults import FAULTS, LISTED, Fault
from benchmarks.peers.sandbox import Order, Outcome, order
from benchmarks.peers.tools import ALARM, NOT_ALARM, PEERS, PIPEDOCTOR, TOOLS, Tool

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "benchmarks" / "peers.md"
CUT = 45.0
RATIO_GOAL = 1.3


class Bench:
    """Where the environments are, and how often to measure."""

    def __init__(self, folder: Path, rounds: int) -> None:
        self.folder = folder
        self.rounds = rounds

    def run(
        self,
        tool: Tool,
        argv: Sequence[str],
        fault: Fault | None = None,
    ) -> Outcome:
        """Run one command in a tool's environment, in a scratch folder of its own."""
        with tempfile.TemporaryDirectory(prefix="peers-") as scratch:
            wanted = Order(
                argv=[],
                venv=str(self.folder / install.venv(tool)),
                scratch=scratch,
                layers=str(self.folder / "layers"),
                fault=fault.title if fault else "",
                cut=CUT,
            )
            job = str(ROOT / "benchmarks" / "peers" / "job.py")
            outcome = order([a.replace("{job}", job) for a in argv], wanted)
        plain = outcome["output"].replace(scratch, "/scratch")
        outcome["output"] = plain.replace(wanted["venv"], "/venv")
        return outcome

    def timings(self) -> list[page.Timing]:
        """All commands take turns."""
        quick = ("pipedoctor", "check", "--no-config", "--quick")
        plain = PEERS[0]
        commands = {
            "pipedoctor check --quick": (PIPEDOCTOR, quick),
            "pipedoctor check": (PIPEDOCTOR, ("pipedoctor", "check", "--no-config")),
            "python -c 'import torch'": (plain, ("python", "-c", "import torch")),
            **{tool.name: (tool, tool.argv) for tool in PEERS},
        }
        outcomes: dict[str, list[Outcome]] = {name: [] for name in commands}
        for turn in range(self.rounds + 1):
            for name, (tool, argv) in commands.items():
                outcome = self.run(tool, argv)
                if turn:  # the first is for the caches
                    outcomes[name].append(outcome)
        return [
            page.Timing(
                name=name,
                walls=[o["seconds"] for o in runs],
                peaks=[o["peak"] for o in runs],
                code=runs[-1]["code"],
            )
            for name, runs in outcomes.items()
        ]

    def fault(self, fault: Fault, clean: dict[str, Outcome]) -> page.Row:
        """Make it anew for each tool, and see who reports it."""
        cells: dict[str, str] = {}
        for tool in TOOLS:
            argv = (*tool.argv, *(fault.hint if tool.ours else ()))
            ill = self.run(tool, argv, fault)
            if ill["refused"]:
                said = judge.Said.REFUSED
            elif tool.ours:
                said = judge.ours(fault.names, ill["output"], code=ill["code"])
            else:
                before = clean[tool.name]["output"]
                after, code = ill["output"], ill["code"]
                said = judge.peer(fault.subject, before, after, code=code)
            self._keep(fault, tool, ill, said)
            cells[tool.name] = said.value
        hint = f" (with `{' '.join(fault.hint)}`)" if fault.hint else ""
        return page.Row(
            title=fault.title + hint,
            cells=cells,
            real=self._confirmed(fault),
            remark=fault.harmless,
        )

    def _confirmed(self, fault: Fault) -> str:
        """Does the probe work on the clean machine, and fail under the fault?"""
        if not fault.probe:
            return ""
        argv = ("python", "-c", fault.probe)
        before, after = self.run(PEERS[0], argv), self.run(PEERS[0], argv, fault)
        return "yes" if before["code"] == 0 and after["code"] else "NO"

    def _keep(self, fault: Fault, tool: Tool, ill: Outcome, said: judge.Said) -> None:
        """Each output is kept in the folder, for who doubts a cell."""
        logs = self.folder / "outputs"
        logs.mkdir(exist_ok=True)
        words = "".join(c if c.isalnum() else "-" for c in f"{fault.title} {tool.name}")
        text = json.dumps(ill | {"said": said.name}, indent=1)
        (logs / f"{words}.json").write_text(text)
        print(f"{tool.name}: {fault.title}: {said.name}", flush=True)


def lines(bench: Bench, lanes: int) -> Iterator[str]:
    """The page, from measuring everything anew."""
    busy = os.getloadavg()[0]
    timings = bench.timings()
    clean = {tool.name: bench.run(tool, tool.argv) for tool in TOOLS}
    with ThreadPoolExecutor(lanes) as pool:
        rows = list(pool.map(bench.fault, FAULTS, repeat(clean)))
    asked = list(features.rows(bench.run, TOOLS))
    names = [tool.name for tool in TOOLS]
    yield from _head(bench, busy)
    yield from ("", "## Time and memory on the clean machine", "")
    yield from page.timings(timings)
    yield from ("", _ratio(timings), "", "## Faults made on purpose", "", RULES, "")
    listed = rows[: len(LISTED)]
    yield from page.matrix(listed, names, "fault")
    yield from ("", "And others that pipedoctor claims to know:", "")
    yield from page.matrix(rows[len(LISTED) :], names, "fault")
    yield from ("", "### How many each reports", "")
    first, every = page.scores(listed, names), page.scores(rows, names)
    warned = {
        tool.name: judge.alarms(clean[tool.name]["output"], ALARM, NOT_ALARM)
        for tool in TOOLS
    }
    warned[PIPEDOCTOR.name] = _findings(clean[PIPEDOCTOR.name]["output"])
    head = ("tool", f"of the first {len(listed)}", f"of all {len(rows)}", "alarms")
    ranked = sorted(names, key=lambda name: -every[name])
    yield from page.table(
        head, [(n, str(first[n]), str(every[n]), str(len(warned[n]))) for n in ranked]
    )
    yield from ("", "*Alarms*: on the clean machine, where nothing is wrong:", "")
    yield from (f"- {n}: `{line}`" for n in names for line in warned[n][:8])
    behind = page.not_first(rows, PIPEDOCTOR.name)
    if behind:
        yield from ("", "### Where pipedoctor is not first", "", *behind)
    yield from ("", "## What could be decided by running", "")
    yield from page.matrix(asked, names, "asked")
    yield from ("", *page.not_first(asked, PIPEDOCTOR.name))


RULES = (
    "Each fault is made in a private mount namespace, each tool runs once, with"
    f" {CUT:.0f} s to answer and no network. **yes**: reported. A peer reports a fault"
    " when a line that the clean machine does not bring is about it, and that line or"
    " one of two beside it says that something is wrong; without such a word it *shows*"
    " a fact; in doubt it reports. pipedoctor reports a fault when its JSON has a"
    " finding of the name that was written down for the fault, above a note. *crash*:"
    " ends with a traceback. *hangs*: did not answer. *real*: a short program works on"
    " the clean machine and fails under the fault; GPUs and drivers are stand-ins. The"
    " rules are `benchmarks/peers/faults.py` and `judge.py`. preflight-ml and TorchFix"
    " were made for other questions (data and code) and stand here for completeness."
)


def _findings(output: str) -> list[str]:
    report = json.loads(output[output.index("{") :])
    return [f["summary"] for f in report["findings"] if f["severity"] != "note"]


def _ratio(timings: Sequence[page.Timing]) -> str:
    walls = {timing.name: timing.wall for timing in timings}
    ratio = walls["pipedoctor check"] / walls["python -c 'import torch'"]
    met = "met" if ratio <= RATIO_GOAL else "NOT met"
    return (
        f"`pipedoctor check` takes {ratio:.2f} times as long as `import torch` alone;"
        f" at most {RATIO_GOAL} times was the goal: {met}."
    )


def _head(bench: Bench, busy: float) -> Iterator[str]:
    today = dt.datetime.now(tz=dt.timezone.utc).date()
    versions = install.versions(bench.folder)
    yield "# pipedoctor and its peers, side by side"
    yield ""
    yield (
        f"Written by `python -m benchmarks.peers` on {today}: {os.cpu_count()} CPUs"
        f" ({platform.machine()}), {platform.system()}, no GPU, CPython"
        f" {platform.python_version()}, torch 2.13.0 for CPUs, warm caches;"
        f" medians of {bench.rounds} rounds in which all commands take turns. Load of"
        f" the machine when it began: {busy:.1f}"
        f"{' (disturbed by other work)' if busy > 1.5 else ''}."  # noqa: PLR2004
    )
    yield ""
    yield f"Versions: {', '.join(versions)}."


def main() -> None:
    """Install, measure, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    cache = Path(os.environ.get("XDG_CACHE_HOME", "~/.cache")).expanduser()
    parser.add_argument("--folder", type=Path, default=cache / "pipedoctor-peers")
    parser.add_argument("--pipedoctor", default=str(ROOT))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--lanes", type=int, default=2)
    parser.add_argument("--output", type=Path, default=PAGE)
    asked = parser.parse_args()
    folder = asked.folder.absolute()
    install.everything(folder, asked.pipedoctor)
    text = "\n".join(lines(Bench(folder, asked.rounds), asked.lanes)) + "\n"
    asked.output.write_text(text)
    print(text)


if __name__ == "__main__":
    main()
