"""What other tools say of the same loops, as far as they can be run on them at all."""

import json
import re
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Sequence
from pathlib import Path

import _page

LOOPS = ("sleep-latency", "jpeg", "tensor-pieces", "long-step")
"""Three causes, and one loop that is fine."""
REQUIREMENTS = ("traceml-ai==0.5.0", "train-doctor==0.2.0", "py-spy>=0.4")
_SECONDS, _TIMEOUT, _INSTALL_TIMEOUT = 8.0, 60.0, 240.0
_MARKED = Path(__file__).with_name("_marked_loop.py")
_TRACEML_PATTERN = re.compile(r"Verdict: +(\w[\w-]*(?: [\w,-]+)*)")
_FINDING_PATTERN = re.compile(r"^ *(?:\d+\. )?\[(\w+)\]", re.MULTILINE)
_FAILURES = (OSError, subprocess.SubprocessError)


class PeerPrograms:
    """Programs of other tools in an environment of their own, with our torch."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "peers"
        self.missing = ""
        try:
            self._install()
        except _FAILURES as error:
            self.missing = f"could not be installed: {type(error).__name__}"

    def _install(self) -> None:
        subprocess.run([sys.executable, "-m", "venv", str(self._folder)], check=True)
        place = next(self._folder.glob("lib/python3*/site-packages"))
        (place / "torch.pth").write_text(f"{sysconfig.get_path('purelib')}\n", "utf-8")
        pip = (self.find("python"), "-m", "pip", "-q", "--disable-pip-version-check")
        subprocess.run(
            [*pip, "install", "--only-binary", ":all:", *REQUIREMENTS],
            check=True,
            capture_output=True,
            timeout=_INSTALL_TIMEOUT,
        )

    def find(self, program: str) -> str:
        """Where a program of theirs lies, if it could be installed."""
        own, there = Path(sys.executable).parent / program, self._folder / "bin" / program
        return str(there if there.exists() or not own.exists() else own)

    def ask_traceml(self, loop: str) -> str:
        """Its verdict of a loop whose steps are marked."""
        logs = tempfile.mkdtemp(dir=self._folder)
        command = (self.find("traceml"), "run", "--logs-dir", logs, "--finalize-timeout-sec", "10")
        text = self._run(*command, str(_MARKED), "--args", "traceml", loop, str(_SECONDS))
        found = _TRACEML_PATTERN.search(text)
        return found[1] if found else "no verdict"

    def ask_train_doctor(self, loop: str) -> str:
        """Names of its findings on a loop whose steps are marked."""
        out = tempfile.mkdtemp(dir=self._folder)
        options = ("--steps", "20", "--seconds", "4", "--profiler-steps", "0", "--out", out)
        job = (self.find("python"), str(_MARKED), "train-doctor", loop, str(2 * _SECONDS))
        text = self._run(self.find("train-doctor"), "profile", *options, "--", *job)
        return ", ".join(dict.fromkeys(_FINDING_PATTERN.findall(text))) or "no finding"

    def _run(self, *command: str) -> str:
        try:
            done = subprocess.run(
                command,
                capture_output=True,
                text=True,
                check=False,
                stdin=subprocess.DEVNULL,
                timeout=_TIMEOUT,
                env={
                    "PATH": f"{self._folder}/bin:/usr/bin:/bin",
                    "LOOPS_FOLDER": str(self._folder),
                },
            )
        except _FAILURES as error:
            return f"Verdict: failed, {type(error).__name__}"
        return done.stdout + done.stderr

    def compare(self, ours: dict[str, str], labels: dict[str, str]) -> list[str]:
        """A row for each loop; `ours`: our verdicts, by loop."""
        rows: list[str] = []
        for loop in (name for name in LOOPS if name in ours):
            said = [self.missing] * 2
            if not self.missing:
                said = [self.ask_traceml(loop), self.ask_train_doctor(loop)]
            rows.append(f"| {loop} | {labels[loop]} | {ours[loop]} | {said[0]} | {said[1]} |")
            sys.stderr.write(f"{rows[-1]}\n")
        return rows


def describe_peers(rows: Sequence[str]) -> str:
    """What they said, and what each can do at all, read in their releases."""
    record = json.loads((Path(__file__).parent / "watch_peers.json").read_text("utf-8"))
    able = [f"| {row['tool']} | {row['attaches']} | {row['says']} |" for row in record]
    parts = [str(_page.format_table(("tool", "attaches to a running job", "says"), able))]
    if rows:
        head = ("loop", "label", "watch", "TraceML", "train-doctor")
        about = (
            "TraceML and train-doctor start a loop themselves, with marks around its steps "
            "(benchmarks/_marked_loop.py); datapath-doctor has no program that measures a job."
        )
        parts = [
            about,
            str(_page.format_table(head, rows)),
            *parts,
        ]
    return "\n\n".join(parts)
