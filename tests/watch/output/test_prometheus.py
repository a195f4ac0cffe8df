"""The metrics with the dashboard and the alerts that stand on them; a real Prometheus."""

import json
import re
import shutil
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pipedoctor.facts import Facts, LiveJob, LiveProcess, Trend
from pipedoctor.watch.output.prometheus import METRICS, PREFIX, MetricsExporter

GRAFANA = Path(__file__).parents[3] / "docs" / "grafana"
DASHBOARD = json.loads((GRAFANA / "dashboard.json").read_text("utf-8"))
NAMES = {PREFIX + name for name, _, _ in METRICS}
LABELS = {PREFIX + name: set(labels) for name, _, labels in METRICS}
GRID_WIDTH = 24
SHM = Trend(first=1.0, last=2048.0, limit=4096.0)
JOB = LiveJob(
    pid=41,
    seconds=9.0,
    waits={"0": 0.25},
    shm=SHM,
    processes=(LiveProcess(pid=41, role="main", rank=0, cpu=0.5, descriptors=SHM),),
)


def list_expressions() -> Iterator[str]:
    for panel in DASHBOARD["panels"]:
        for target in panel.get("targets", ()):
            yield target["expr"]
    yield from re.findall(r"expr: (.*)", (GRAFANA / "alerts.yml").read_text("utf-8"))


def test_every_expression_reads_a_metric_that_is_served() -> None:
    expressions = list(list_expressions())
    assert len(expressions) >= 10
    for text in expressions:
        used = set(re.findall(rf"{PREFIX}\w+", text))
        assert used, text
        assert used <= NAMES, text
        for labels in re.findall(r"(?:by|without) \(([\w, ]+)\)", text):
            known = {"job", "instance"}.union(*(LABELS[name] for name in used))
            assert set(labels.split(", ")) <= known, text


def test_the_dashboard_has_what_grafana_needs() -> None:
    """As its JSON model says: numbers of panels, their places, types, and data sources."""
    assert DASHBOARD["schemaVersion"] >= 36
    assert re.fullmatch(r"[\w-]{1,40}", DASHBOARD["uid"])
    panels = DASHBOARD["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    taken: set[tuple[int, int]] = set()
    for panel in panels:
        place = panel["gridPos"]
        cells = {
            (place["x"] + x, place["y"] + y) for x in range(place["w"]) for y in range(place["h"])
        }
        assert not taken & cells, panel["title"]
        assert max(x for x, _ in cells) < GRID_WIDTH
        taken |= cells
        assert panel["type"]
        assert panel["title"]
        for target in panel.get("targets", ()):
            assert target["refId"]


@pytest.mark.skipif(not shutil.which("promtool"), reason="needs Debian's package prometheus")
def test_promtool_reads_the_alerts() -> None:
    command = ["promtool", "check", "rules", str(GRAFANA / "alerts.yml")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
    assert "SUCCESS" in done.stdout


def find_free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


@pytest.mark.extended
@pytest.mark.skipif(not shutil.which("prometheus"), reason="needs Debian's package prometheus")
def test_a_real_prometheus_scrapes_it(tmp_path: Path) -> None:
    exporter = MetricsExporter(0, "127.0.0.1")
    exporter.update(Facts(JOB))
    target = exporter.address.split("/")[2]
    config = tmp_path / "prometheus.yml"
    config.write_text(
        f"global: {{scrape_interval: 1s}}\nrule_files: [{GRAFANA / 'alerts.yml'}]\n"
        f"scrape_configs: [{{job_name: training, static_configs: [{{targets: ['{target}']}}]}}]\n"
    )
    port = find_free_port()
    command = [
        "prometheus",
        f"--config.file={config}",
        f"--storage.tsdb.path={tmp_path / 'data'}",
        f"--web.listen-address=127.0.0.1:{port}",
    ]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
        try:
            found = wait_for_values(port, "pipedoctor_data_wait_ratio")
            descriptors = wait_for_values(port, "pipedoctor_process_open_descriptors")
        finally:
            process.kill()
            exporter.close()

    assert found == [({"pid": "41", "rank": "0"}, 0.25)]
    assert descriptors[0][1] == 2048.0


def wait_for_values(port: int, name: str) -> list[tuple[dict[str, str], float]]:
    """What Prometheus has of a metric, as soon as it has scraped."""
    url = f"http://127.0.0.1:{port}/api/v1/query?query={name}"
    until = time.monotonic() + 60
    while time.monotonic() < until:
        try:
            with urllib.request.urlopen(url, timeout=5) as answer:
                rows: list[Any] = json.load(answer)["data"]["result"]
        except OSError:
            rows = []
        if rows:
            keys = ("pid", "rank") if name.endswith("ratio") else ("process",)
            return [({k: r["metric"][k] for k in keys}, float(r["value"][1])) for r in rows]
        time.sleep(0.5)
    pytest.fail("nothing was scraped")
