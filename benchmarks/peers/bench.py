"""Run every tool, on the clean machine and under each fault."""

import json
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import repeat
from pathlib import Path

from benchmarks.peers import features, install, judge, page
from benchmarks.peers.faults import FAULTS, Fault
from benchmarks.peers.sandbox import Order, Outcome, order
from benchmarks.peers.tools import ALARM, NOT_ALARM, PEERS, PIPEDOCTOR, TOOLS, Tool

JOB = Path(__file__).resolve().parent / "job.py"
CUT = 45.0


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
            outcome = order([a.replace("{job}", str(JOB)) for a in argv], wanted)
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

    def faults(self, lanes: int) -> tuple[list[page.Row], dict[str, list[str]]]:
        """A row for each fault, and each tool's alarms on the clean machine."""
        clean = {tool.name: self.run(tool, tool.argv) for tool in TOOLS}
        with ThreadPoolExecutor(lanes) as pool:
            rows = list(pool.map(self.fault, FAULTS, repeat(clean)))
        warned = {
            tool.name: judge.alarms(clean[tool.name]["output"], ALARM, NOT_ALARM)
            for tool in PEERS
        }
        report = clean[PIPEDOCTOR.name]["stdout"]
        return rows, {PIPEDOCTOR.name: _findings(report)} | warned

    def features(self) -> list[page.Row]:
        """A row for each question that running decides."""
        return list(features.rows(self.run, TOOLS))

    def fault(self, fault: Fault, clean: dict[str, Outcome]) -> page.Row:
        """Make it anew for each tool, and see who reports it."""
        cells: dict[str, str] = {}
        for tool in TOOLS:
            argv = (*tool.argv, *(fault.hint if tool.ours else ()))
            ill = self.run(tool, argv, fault)
            if ill["refused"]:
                said = judge.Said.REFUSED
            elif tool.ours:
                said = judge.ours(fault.names, ill["stdout"], code=ill["code"])
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


def _findings(output: str) -> list[str]:
    report = json.loads(output)
    return [f["summary"] for f in report["findings"] if f["severity"] != "note"]
