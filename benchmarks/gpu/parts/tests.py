"""The tests with the marker `gpu`, against the wheel that was packed."""

import os
import re
from pathlib import Path

from benchmarks.gpu.results import Table
from benchmarks.gpu.session import ROOT, Session, say, say_not_possible

_MARK = re.compile(r"^\s*@pytest\.mark\.gpu\b|pytestmark = pytest\.mark\.gpu\b", re.MULTILINE)
_OUTCOME = re.compile(
    r"^(PASSED|FAILED|ERROR|SKIPPED)\s+(?:\[\d+\] )?(\S+)(?: - (.*)|: (.*))?$", re.MULTILINE
)


def measure(session: Session) -> None:
    """Collect from the files that name the marker only: others need more packages."""
    files = [
        str(file)
        for file in sorted((ROOT / "tests").rglob("test_*.py"))
        if _MARK.search(file.read_text("utf-8"))
    ]
    table = Table("Tests with the marker `gpu`", ("test", "outcome", ""))
    argv = [session.place.python, "-m", "pytest", "-m", "gpu", "-rpfEs", "-q", *files]
    argv += ["-o", f"cache_dir={session.scratch}/pytest", "-o", "filterwarnings="]
    argv += ["--rootdir", str(ROOT), "-c", str(ROOT / "pyproject.toml")]
    folder = str(Path(session.place.python).parent)  # where tests find `pipedoctor`
    paths = session.place.environ.get("PATH", os.environ["PATH"])
    done = session.run(argv, 200, add={"PATH": f"{folder}:{paths}"})
    for outcome, name, why, reason in _OUTCOME.findall(done.out):
        text = why or reason
        verdict = say(outcome == "PASSED", text)
        if outcome == "SKIPPED":
            verdict = say_not_possible(text or "skipped")
        table.rows.append([re.sub(r"^.*?(?=tests/)", "", name), outcome.lower(), verdict])
    if not table.rows:
        table.rows.append(["pytest", f"exit code {done.code}", say(right=False)])
        table.notes.append(done.last_line)
    session.results.put_table(session.part, table)
