"""A watched job over time: what is kept, and the charts of the HTML report."""

import json
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pipedoctor.facts import Facts, LiveJob, LivePoint
from pipedoctor.report.timeline import HEIGHT, WIDTH, build_timeline
from pipedoctor.watch.job.timeline import JobTimeline


def report(*points: LivePoint) -> Any:
    facts = Facts(LiveJob(pid=1, seconds=9.0, timeline=points)).to_record()
    return SimpleNamespace(facts=SimpleNamespace(known=facts["known"]))


def test_a_chart_for_each_number_that_is_known() -> None:
    points = [
        LivePoint(seconds=1.0, data_wait=0.5, shm=1024.0),
        LivePoint(seconds=2.0, data_wait=0.25, shm=4096.0),
        LivePoint(seconds=3.0, data_wait=1.0, shm=2048.0),
    ]
    waits, shm = build_timeline(report(*points))

    assert (waits.name, waits.highest, waits.last) == ("waiting for data", "100%", "100%")
    assert waits.points == "0.0,30.0 300.0,45.0 600.0,0.0"
    assert shm.highest.startswith("4")
    assert shm.points.split()[1] == "300.0,0.0"
    assert waits.seconds == 2.0


@pytest.mark.parametrize("points", [(), (LivePoint(seconds=1.0, data_wait=0.5),)])
def test_no_chart_of_one_point(points: tuple[LivePoint, ...]) -> None:
    assert build_timeline(report(*points)) == []


def test_what_is_constant_lies_within_the_chart() -> None:
    (chart,) = build_timeline(report(*(LivePoint(seconds=n, shm=0.0) for n in (1.0, 2.0))))
    rows = [tuple(map(float, pair.split(","))) for pair in chart.points.split()]

    assert all(0 <= x <= WIDTH and 0 <= y <= HEIGHT for x, y in rows)


def test_a_long_watch_keeps_a_bounded_number_of_points() -> None:
    kept = JobTimeline()
    job: Any = SimpleNamespace(list_mains=list, processes={}, resources={})
    limits: Any = SimpleNamespace(shm=SimpleNamespace(last=5.0))
    for second in range(7200):
        kept.add(float(second), job, limits, None)

    assert 100 <= len(kept.points) <= 240
    assert kept.points[0].seconds == 0.0
    assert kept.points[-1].seconds > 7100


def test_what_a_job_had_read_before_it_was_watched_does_not_count() -> None:
    kept = JobTimeline()
    held: Any = SimpleNamespace(descriptors=SimpleNamespace(last=3))
    job: Any = SimpleNamespace(list_mains=list, processes={}, resources={1: held})
    limits: Any = SimpleNamespace(shm=SimpleNamespace(last=5.0))
    for second, read in ((1.0, 9000), (2.0, 9500)):
        held.io = {"read_bytes": 9000}, {"read_bytes": read}
        kept.add(second, job, limits, None)

    assert [point.read_bytes for point in kept.points] == [0, 500]


@pytest.mark.extended
@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="Linux only")
def test_a_report_of_a_watch_has_its_timeline(tmp_path: Path) -> None:
    doctor = (sys.executable, "-m", "pipedoctor")
    kept, page = tmp_path / "watched.json", tmp_path / "page.html"
    with subprocess.Popen([sys.executable, "-c", "while True: pass"]) as job:
        command = [*doctor, "watch", str(job.pid), "--seconds", "1.2", "--interval", "0.3", "-q"]
        subprocess.run([*command, "--format", "json", "-o", str(kept)], check=False)
        job.kill()
    assert len(json.loads(kept.read_text("utf-8"))["facts"]["known"]["live"]["timeline"]) >= 2
    again = [*doctor, "report", "--from", str(kept), "-o", str(page), "--force", "--no-keep"]
    subprocess.run(again, check=True, capture_output=True)

    text = page.read_text("utf-8")
    assert "While it was watched" in text
    assert f"PID {job.pid}, watched for 1 s" in text
    assert len(re.findall(r"<polyline points=\"[\d., ]+\"", text)) >= 2
