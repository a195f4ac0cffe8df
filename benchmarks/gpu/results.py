"""The one folder that a run writes: results as they come, a page, a recording, a log."""

import contextlib
import datetime as dt
import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

MAX_FILE_BYTES = 15 << 20
RIGHT, WRONG, NOT_POSSIBLE = "right", "WRONG", "not possible here"
"""How a statement fared; the last one with its reason."""


@dataclass(frozen=True)
class Card:
    """What the run was made on; the recording is named after it."""

    name: str
    driver: str
    cuda: str
    date: str
    cpus: int
    kernel: str
    dry_run: bool

    @property
    def slug(self) -> str:
        """A file name: letters, digits and dashes; a stub's begins with ``dry-run``."""
        words = re.sub(r"[^a-z0-9]+", "-", self.name.lower()).strip("-") or "no-gpu"
        return f"dry-run-{words}" if self.dry_run else words


@dataclass
class Table:
    """One table of the page; a cell that begins with ``WRONG`` makes the run fail."""

    title: str
    head: Sequence[str]
    rows: list[list[str]] = field(default_factory=list[list[str]])
    notes: list[str] = field(default_factory=list[str])


class Results:
    """`results.json` and what is made of it; every change is on the disk at once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.folder.mkdir(parents=True, exist_ok=True)
        self.data: dict[str, Any] = {}
        self.reload()

    def reload(self) -> None:
        """Read what stands in the folder: a part that ran has written since."""
        self.data = {"card": {}, "parts": {}, "seen": {}}
        with contextlib.suppress(OSError, ValueError):
            self.data |= json.loads((self.folder / "results.json").read_text("utf-8"))

    @property
    def card(self) -> Card:
        """The machine of this run."""
        return Card(**self.data["card"])

    def begin(self, card: Card) -> None:
        """Say what it runs on; results of another card or driver are not kept."""
        now = asdict(card)
        same = ("name", "driver", "dry_run")
        if any(self.data["card"].get(key) != now[key] for key in same):
            self.data = {"card": now, "parts": {}, "seen": {}}
        self.data["card"] = now
        self._write()

    def begin_part(self, name: str, title: str) -> None:
        """Forget what an earlier run of this part found."""
        self.data["parts"][name] = {"title": title, "state": "cut off", "tables": []}
        self._write()

    def set_state(self, name: str, title: str, state: str, seconds: float = 0.0) -> None:
        """How the part ended: ``complete``, or why not; its tables stay."""
        part = self.data["parts"].setdefault(name, {"title": title, "tables": []})
        part.update(state=state, seconds=round(seconds, 1))
        self._write()

    def put_table(self, part: str, table: Table) -> None:
        """Add a table to a part, or replace the one of the same title."""
        tables: list[dict[str, Any]] = self.data["parts"][part]["tables"]
        rest = [one for one in tables if one["title"] != table.title]
        self.data["parts"][part]["tables"] = [*rest, asdict(table)]
        self._write()

    def mark_seen(self, check: str, how: str) -> None:
        """A statement of this check came true here; `how` says in which trial."""
        self.data["seen"][check] = how
        self._write()

    def list_wrong(self) -> list[str]:
        """Rows in which something was not as we say, by their part and first cells."""
        return [
            f"{name}: {' '.join(row[:2])}"
            for name, part in self.data["parts"].items()
            for table in part["tables"]
            for row in table["rows"]
            if any(cell.startswith(WRONG) for cell in row)
        ]

    def write_text(self, name: str, text: str) -> None:
        """Put a file into the folder, cut to the size that may travel."""
        data = text.encode("utf-8", errors="replace")[:MAX_FILE_BYTES]
        place = self.folder / f".{name}"
        place.write_bytes(data)
        place.replace(self.folder / name)

    def log(self, text: str) -> None:
        """Append to the log, as long as it may still travel."""
        place = self.folder / "log.txt"
        now = dt.datetime.now(tz=dt.timezone.utc).strftime("%H:%M:%S")
        full = place.exists() and place.stat().st_size > MAX_FILE_BYTES - (1 << 20)
        with place.open("a", encoding="utf-8", errors="replace") as file:
            file.write(f"{now} {text if not full else text[:200]}\n")
            file.flush()
            os.fsync(file.fileno())

    def put_recording(self, report: Mapping[str, Any]) -> None:
        """The report of this machine, which is also what `check --from` must give."""
        self.data["recorded"] = True
        self.write_text(f"{self.card.slug}.json", json.dumps(report, indent=1) + "\n")
        self._write()

    def _write(self) -> None:
        from benchmarks.gpu.page import render_page  # noqa: PLC0415  (it reads Results)

        self.write_text("results.json", json.dumps(self.data, indent=1) + "\n")
        self._stamp_recording()
        self.write_text("gpu.md", render_page(self.data))

    def _stamp_recording(self) -> None:
        """Say in the recording on what, when and by which trials it was made."""
        if not self.data.get("recorded"):
            return
        place = self.folder / f"{self.card.slug}.json"
        with contextlib.suppress(OSError, ValueError):
            report = json.loads(place.read_text("utf-8"))
            report["recorded_on"] = {**self.data["card"], "seen": self.data["seen"]}
            self.write_text(place.name, json.dumps(report, indent=1) + "\n")
