"""Run every tool, on the clean machine and under each fault."""

import json
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import repeat
from pathlib import Path

from benchmarks.peers import features, install, judge, page
from benchmarks.peers.faults import FAULTS, InjectedFault
from benchmarks.peers.sandbox import SandboxOutcome, SandboxRequest, run_in_sandbox
from benchmarks.peers.tools import ALARM, NOT_ALARM, PEERS, PIPEDOCTOR, TOOLS, PeerTool

JOB = Path(__file__).resolve().parent / "job.py"
CUT = 45.0


class PeerBench:
    """Where the environments are, and how often to measure."""

    def __init__(self, folder: Path, rounds: int) -> None:
        self.folder = folder
        self.rounds = rounds

    def run_tool(
        self,
        tool: PeerTool,
        argv: Sequence[str],
        fault: InjectedFault | None = None,
    ) -> SandboxOutcome:
        """Run one command in a tool's environment, in a scratch folder of its own."""
        with tempfile.TemporaryDirectory(prefix="peers-") as scratch:
            wanted = SandboxRequest(
                argv=[],
                venv=str(self.folder / install.environment_name(tool)),
                scratch=scratch,
                layers=str(self.folder / "layers"),
                fault=fault.title if fault else "",
                cut=CUT,
            )
            outcome = run_in_sandbox([a.replace("{job}", str(JOB)) for a in argv], wanted)
        plain = outcome["output"].replace(scratch, "/scratch")
        outcome["output"] = plain.replace(wanted["venv"], "/venv")
        return outcome

    def measure_timings(self) -> list[page.CommandTiming]:
        """All commands take turns."""
        quick = ("pipedoctor", "check", "--no-config", "--quick")
        plain = PEERS[0]
        commands = {
            "pipedoctor check --quick": (PIPEDOCTOR, quick),
            "pipedoctor check": (PIPEDOCTOR, ("pipedoctor", "check", "--no-config")),
            "python -c 'import torch'": (plain, ("python", "-c", "import torch")),
            **{tool.name: (tool, tool.argv) for tool in PEERS},
        }
        outcomes: dict[str, list[SandboxOutcome]] = {name: [] for name in commands}
        for turn in range(self.rounds + 1):
            for name, (tool, argv) in commands.items():
                outcome = self.run_tool(tool, argv)
                if turn:  # the first is for the caches
                    outcomes[name].append(outcome)
        return [
            page.CommandTiming(
                name=name,
                walls=[o["seconds"] for o in runs],
                peaks=[o["peak"] for o in runs],
                code=runs[-1]["code"],
            )
            for name, runs in outcomes.items()
        ]

    def measure_faults(self, lanes: int) -> tuple[list[page.PeerRow], dict[str, list[str]]]:
        """A row for each fault, and each tool's alarms on the clean machine."""
        clean = {tool.name: self.run_tool(tool, tool.argv) for tool in TOOLS}
        with ThreadPoolExecutor(lanes) as pool:
            rows = list(pool.map(self.measure_fault, FAULTS, repeat(clean)))
        warned = {
            tool.name: judge.find_alarms(clean[tool.name]["output"], ALARM, NOT_ALARM)
            for tool in PEERS
        }
        report = clean[PIPEDOCTOR.name]["stdout"]
        return rows, {PIPEDOCTOR.name: _list_findings(report)} | warned

    def measure_features(self) -> list[page.PeerRow]:
        """A row for each question that running decides."""
        return list(features.ask_questions(self.run_tool, TOOLS))

    def measure_fault(self, fault: InjectedFault, clean: dict[str, SandboxOutcome]) -> page.PeerRow:
        """Make the fault for each tool afresh, and see which tools report it."""
        cells: dict[str, str] = {}
        for tool in TOOLS:
            argv = (*tool.argv, *(fault.hint if tool.is_ours else ()))
            ill = self.run_tool(tool, argv, fault)
            if ill["refused"]:
                said = judge.ToolResponse.REFUSED
            elif tool.is_ours:
                said = judge.judge_pipedoctor(fault.names, ill["stdout"], code=ill["code"])
            else:
                before = clean[tool.name]["output"]
                after, code = ill["output"], ill["code"]
                said = judge.judge_peer(fault.subject, before, after, code=code)
            self._save_output(fault, tool, ill, said)
            cells[tool.name] = said.value
        hint = f" (with `{' '.join(fault.hint)}`)" if fault.hint else ""
        return page.PeerRow(
            title=fault.title + hint,
            cells=cells,
            real=self._confirm_probe(fault),
            remark=fault.harmless,
        )

    def _confirm_probe(self, fault: InjectedFault) -> str:
        """Does the probe work on the clean machine, and fail under the fault?"""
        if not fault.probe:
            return ""
        argv = ("python", "-c", fault.probe)
        before, after = (
            self.run_tool(PEERS[0], argv),
            self.run_tool(PEERS[0], argv, fault),
        )
        return "yes" if before["code"] == 0 and after["code"] else "NO"

    def _save_output(
        self,
        fault: InjectedFault,
        tool: PeerTool,
        ill: SandboxOutcome,
        response: judge.ToolResponse,
    ) -> None:
        """Keep each output, so that a cell of the table can be verified."""
        logs = self.folder / "outputs"
        logs.mkdir(exist_ok=True)
        words = "".join(c if c.isalnum() else "-" for c in f"{fault.title} {tool.name}")
        text = json.dumps(ill | {"said": response.name}, indent=1)
        (logs / f"{words}.json").write_text(text)
        print(f"{tool.name}: {fault.title}: {response.name}", flush=True)


def _list_findings(output: str) -> list[str]:
    report = json.loads(output)
    return [f["summary"] for f in report["findings"] if f["severity"] != "note"]
