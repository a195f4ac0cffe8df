"""A report with one of everything, and one of a healthy machine."""

from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from msgspec.structs import replace

from pipedoctor.check import Gain, Location, Put
from pipedoctor.report.html import FILTER_THRESHOLD, render
from pipedoctor.report.model import (
    Report,
    ReportedFacts,
    ReportedFinding,
    ReportedPack,
    ReportedRemedy,
    SeverityCounts,
    SkippedCheck,
)

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

SITE = {"system": "linux", "container": "docker", "distribution": "Debian 12"}


@pytest.fixture
def ill() -> Report:
    remount = ReportedRemedy(
        title="Grow /dev/shm to 2.8 GiB",
        shell="sudo mount -o remount,size=3019898880 /dev/shm",
        argv=("mount", "-o", "remount,size=3019898880", "/dev/shm"),
        undo=("mount", "-o", "remount,size=67108864", "/dev/shm"),
        verify=("df", "-h", "/dev/shm"),
        place="here",
        lasts="boot",
        root=True,
        automatic=True,
    )
    unit = ReportedRemedy(
        title="Raise the limit for good",
        shell="",
        argv=(),
        puts=(Put(path="/etc/x.conf", content="[Service]\nLimitNOFILE=65536\n"),),
        snippet="spec:\n  containers: []\n",
        place="launcher",
        lasts="always",
        root=False,
        automatic=False,
    )
    cause = ReportedFinding(
        rank=1,
        code="PDR701",
        name="shm-too-small",
        severity="breaks",
        title="/dev/shm is too small for the batches in flight",
        summary="/dev/shm has 64.0 MiB, the workers need 2.8 GiB",
        evidence={"shm.size": 64 << 20, "needed": 2880 << 20},
        explains=("PDR902",),
        confidence="certain",
        remedies=(remount, unit),
        sources=("https://example.org/shm",),
        why="breaks: it will crash the job or give wrong results",
    )
    symptom = ReportedFinding(
        rank=2,
        code="PDR902",
        name="bus-error",
        severity="risks",
        title="Workers died of a bus error",
        summary="3 workers died",
        evidence={"deaths": 3},
        location=Location(path="train.py", line=12),
        also_at=(Location(path="eval.py", line=3),),
        confidence="likely",
        cause="PDR701",
        remedies=(unit,),
        gain=Gain(value=0.3, low=0.2, high=0.4, unit="fraction of epoch", basis="modelled"),
    )
    return Report(
        created="2026-01-01T00:00:00Z",
        seconds=0.2,
        facts=ReportedFacts(known={"site": SITE}, unknown={"gpu": "no driver"}),
        findings=(cause, symptom),
        healthy=("PDR703", "PDR704"),
        skipped=(
            SkippedCheck(code="PDR710", name="slow-storage", reason="no --data given"),
            SkippedCheck(code="PDR720", name="quota", reason="not selected", applicable=False),
            SkippedCheck(code="PDR721", name="affinity", reason="no GPU", applicable=False),
        ),
        summary=SeverityCounts(breaks=1, risks=1),
        broken=(ReportedPack(pack="acme", reason="ImportError: no"),),
    )


@pytest.fixture
def well() -> Report:
    return Report(
        created="2026-01-01T00:00:00Z",
        seconds=0.2,
        facts=ReportedFacts(known={"site": {"system": "linux"}}, unknown={}),
        healthy=("PDR701",),
        summary=SeverityCounts(),
    )


HOSTILE = "a\x1b[31m|b`c\n<script>@all #1 [x](y) *z* \u202e\x9b \u200b[bold]red[/]\udcff"


@pytest.fixture
def hostile(ill: Report) -> Report:
    """The same, with a file name in it that somebody chose with care."""
    cause = ill.findings[0]
    cure = replace(
        cause.remedies[0],
        title=HOSTILE,
        shell=f"rm {HOSTILE}",
        snippet=f"```\n{HOSTILE}",
        puts=(Put(path=HOSTILE, content=HOSTILE),),
    )
    entry = replace(
        cause,
        summary=HOSTILE,
        evidence={HOSTILE: HOSTILE, "rows": [HOSTILE]},
        location=Location(path=HOSTILE, line=1),
        also_at=(Location(path=HOSTILE, line=2),),
        remedies=(cure,),
        sources=(HOSTILE,),
        why=HOSTILE,
    )
    return replace(
        ill,
        facts=ReportedFacts(known={"site": {**SITE, "distribution": HOSTILE[:-1]}}, unknown={}),
        findings=(entry,),
        skipped=(SkippedCheck(code="X1", name="x", reason=HOSTILE),),
        recorded=HOSTILE,
    )


@pytest.fixture
def many(ill: Report) -> Report:
    """As many findings as the page offers to filter, each in a file of its own."""
    spread = tuple(
        replace(
            ill.findings[number % 2],
            rank=number + 1,
            cause="",
            location=Location(path=f"train_{number}.py", line=7),
        )
        for number in range(FILTER_THRESHOLD)
    )
    half = FILTER_THRESHOLD // 2
    return replace(ill, findings=spread, summary=SeverityCounts(breaks=half, risks=half))


class Outline(HTMLParser):
    """The tags of a page in their order, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.said: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.tags += sorted(name for name, _ in attrs)

    def handle_data(self, data: str) -> None:
        self.said.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.said).split())


@pytest.fixture
def outlined() -> Callable[[Report], Outline]:
    """Take a report's page apart."""
    return lambda report: Outline(render(report))


class Window:
    """A browser's window that keeps what the page complained of and asked for."""

    def __init__(self, context: "BrowserContext", folder: Path) -> None:
        self.page: Page = context.new_page()
        self.complaints: list[str] = []
        self.asked: list[str] = []
        self._file = folder / "report.html"
        self.page.on("console", lambda said: self.complaints.append(said.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda request: self.asked.append(request.url))

    def show(self, text: str, fragment: str = "") -> "Page":
        self._file.write_text(text, "utf-8")
        self.page.goto(f"{self._file.as_uri()}{fragment}")
        return self.page

    def open_all(self) -> None:
        self.page.evaluate(
            "for (const box of document.querySelectorAll('details')) box.open = true"
        )


@pytest.fixture
def opener(browser: "Browser", tmp_path: Path) -> Iterator[Callable[..., Window]]:
    """Open a window as wide, and in the colors, that are asked for."""
    contexts: list[BrowserContext] = []

    def opened(width: int = 1400, scheme: Any = "light", **more: Any) -> Window:
        context = browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme=scheme, **more
        )
        context.set_default_timeout(5000)
        contexts.append(context)
        return Window(context, tmp_path)

    yield opened
    for context in contexts:
        context.close()
