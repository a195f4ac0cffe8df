"""
Let commands that write files meet a fault at each of their system calls.

``LD_PRELOAD=faults.so python writer_faults.py SCENE ERROR FIRST STEP FOLDER``: each run is a
fork of this process, in which the n-th call on FOLDER, also of a child, fails with ERROR (0:
all are killed before it), n = FIRST, FIRST + STEP, ... until one meets no fault. A line of
JSON for each: the call, how it ended, and what is there at once and after the next run.
"""

import datetime as dt
import json
import os
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from pipedoctor.cli import main as run_command
from pipedoctor.facts import Facts
from pipedoctor.fleet import store
from pipedoctor.privacy.alias_book import AliasStore
from pipedoctor.report import archive
from pipedoctor.watch.output.recording import WatchRecorder, read_recording
from tests.fault_fork import CRASHED, in_fork

OLD = '{"schema": "old"}\n' * 3000
REPORT = {
    "schema": "pipedoctor.report/1",
    "created": "2026-01-01T00:00:00Z",
    "facts": {"known": {}, "unknown": {"gpu": "no answer " * 9000}},
}
NOW = dt.datetime(2026, 1, 1, tzinfo=dt.timezone.utc)
CODE = "import torch\nfrom torch.utils.data import DataLoader\nl = DataLoader([1], num_workers=0)\n"


class Scene(NamedTuple):
    """What runs in the folder, and what there is: ``old``, ``new``, or else a fault."""

    run: Callable[[Path], int]
    describe: Callable[[Path], str]


def command(*words: str) -> Callable[[Path], int]:
    def run(folder: Path) -> int:
        sys.argv = ["pipedoctor", *(word.format(folder) for word in words)]
        try:
            run_command()
        except SystemExit as end:
            return end.code if isinstance(end.code, int) else 70
        return 0

    return run


def describe_file(name: str, schema: str) -> Callable[[Path], str]:
    """``old`` as it was, or absent; ``new``: complete JSON of the schema."""

    def describe(folder: Path) -> str:
        files = sorted(folder.glob(name))
        texts = [file.read_text("utf-8") for file in files]
        if not texts or texts == [OLD]:
            return "old"
        try:
            return "new" if all(json.loads(t)["schema"] == schema for t in texts) else "other"
        except ValueError:
            return f"damaged: {texts[0][:40]!r}"

    return describe


def store_report(folder: Path) -> int:
    store.store_report(str(folder), "node--1.json", json.dumps({"schema": "x"}).encode())
    return 0


def record(folder: Path) -> int:
    with WatchRecorder(str(folder / "watch.jsonl")) as recorder:
        for number in range(3):
            recorder.add({"pid": 1, "seconds": float(number), "samples": 7}, Facts())
    return 0


def replay(folder: Path) -> str:
    """Whatever is there can be replayed."""
    path = folder / "watch.jsonl"
    if not path.exists() or not path.read_bytes():
        return "old"
    list(read_recording(str(path)))
    return "new"


def keep_report(folder: Path) -> int:
    os.environ["XDG_STATE_HOME"] = str(folder / "state")
    archive.save_report(json.dumps(REPORT).encode(), "", NOW)
    return 0


def describe_kept(folder: Path) -> str:
    """Each report that is listed can be read."""
    os.environ["XDG_STATE_HOME"] = str(folder / "state")
    kept = archive.list_reports()
    texts = [json.loads(archive.read_redacted(report)) for report in kept]
    return "damaged" if any(text != REPORT for text in texts) else "new" if kept else "old"


def number_names(folder: Path) -> int:
    os.environ["XDG_STATE_HOME"] = str(folder / "state")
    book = AliasStore()
    book.reserve_numbers({("user", f"user {number}"): number for number in range(1, 9)})
    return int(bool(book.failure_reason))


def describe_numbers(folder: Path) -> str:
    """All of the names are in the book, or none."""
    os.environ["XDG_STATE_HOME"] = str(folder / "state")
    numbers = AliasStore().read_numbers()[0]
    return {0: "old", 8: "new"}.get(len(set(numbers.values())), "damaged")


SCENES = {
    "output": Scene(
        command("check", "--from", "{}/from.json", "--format", "json", "-o", "{}/out.json"),
        describe_file("out.json", "pipedoctor.report/1"),
    ),
    "attachment": Scene(
        command("report", "--from", "{}/from.json", "--format", "json", "-o", "{}/made"),
        describe_file("made/*.json", "pipedoctor.report/1"),
    ),
    "baseline": Scene(
        command(
            *("check", "--quick", "{}/code.py", "--select", "PDR1,PDR2", "--no-config"),
            *("--baseline", "{}/base.json", "--write-baseline", "--cache-dir", "{}/cache"),
            *("--format", "json", "-o", "{}/found.json", "--fail-on", "never"),
        ),
        describe_file("base.json", "pipedoctor.baseline/1"),
    ),
    "fleet": Scene(store_report, describe_file("node--*.json", "x")),
    "recording": Scene(record, replay),
    "kept": Scene(keep_report, describe_kept),
    "aliases": Scene(number_names, describe_numbers),
}


def reset(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "made").mkdir(parents=True)
    (folder / "from.json").write_text(json.dumps(REPORT))
    (folder / "code.py").write_text(CODE)
    (folder / "out.json").write_text(OLD)


def main() -> None:
    name, error, first, step, place = sys.argv[1:]
    folder, scene = Path(place), SCENES[name]
    for fault in range(int(first), 100_000, int(step)):
        reset(folder)
        code, about = in_fork(scene.run, folder, fault, int(error))
        if not about and code != -signal.SIGKILL:
            return
        at_once = scene.describe(folder)
        then, _ = in_fork(scene.run, folder)
        line = {"fault": fault, "about": about, "code": code, "at_once": at_once, "then": then}
        print(json.dumps({**line, "after": scene.describe(folder)}), flush=True)  # noqa: T201
        if then == CRASHED:
            return


if __name__ == "__main__":
    main()
