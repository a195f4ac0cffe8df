"""
Examine the nodes of a Ray cluster: one task a node, with a deadline of our own.

Ray moves the work; here is only who runs what, and who did not answer. The task is
handed over by value, so that nodes need not have pipedoctor; where it is missing it
goes along as a runtime environment.
"""

import importlib.metadata
import logging
import os
import shutil
import socket
import tempfile
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import msgspec

from pipedoctor.version import __version__

MISSING_RAY = "Ray is not installed: pip install 'pipedoctor[ray]' (Python 3.10 to 3.14)"
CONNECT_TIMEOUT = 3.0
"""Seconds in which a head has to answer; Ray itself would wait for it much longer."""
MARGIN_SECONDS = 5.0
"""Seconds less than the deadline that a node's own examination has."""
POLL_SECONDS = 0.5
_PACKAGES = ("pipedoctor", "pipedoctor_checks")
_MISSING = "missing"
ProgressCallback = Callable[[int, int], None]


class RayError(Exception):
    """The cluster cannot be asked at all; the message says why."""


class NodeAnswer(msgspec.Struct, frozen=True):
    """What came of one node: a report with the name of its file, or why none did."""

    node: str
    """As Ray calls it."""
    file: str = ""
    data: bytes = b""
    trouble: str = ""


class ClusterOutcome(msgspec.Struct, frozen=True):
    """Every node that was alive when it began, once."""

    answers: tuple[NodeAnswer, ...]
    interrupted: bool = False

    @property
    def nodes_without_report(self) -> tuple[NodeAnswer, ...]:
        """Nodes without a report."""
        return tuple(one for one in self.answers if one.trouble)


def examine_cluster(
    address: str,
    options: Sequence[str],
    *,
    deadline: float,
    progress: ProgressCallback = lambda _done, _all: None,
) -> ClusterOutcome:
    """
    Run `check` with these options on every node; raises RayError.

    Ctrl-C, and the deadline, end it with what is known.
    """
    with _open_connection(address) as ray:
        tasks = _NodeTasks(ray, options, time.monotonic() + deadline)
        try:
            tasks.run(progress)
        except KeyboardInterrupt:
            return tasks.build_outcome("interrupted", interrupted=True)
        return tasks.build_outcome(f"no answer after {deadline:g} s")


class _NodeTasks:
    """The tasks that are under way, and what has come of others."""

    def __init__(self, ray: Any, options: Sequence[str], until: float) -> None:
        self._ray, self._options, self._until = ray, tuple(options), until
        self._nodes = {
            node["NodeID"]: _get_node_name(node) for node in ray.nodes() if node["Alive"]
        }
        self._answers: dict[str, NodeAnswer] = {}
        self._running: dict[Any, str] = {}
        self._uploaded: set[str] = set()
        self._package_folder = ""

    def run(self, progress: ProgressCallback) -> None:
        """Until every node has answered or been lost, or the time is over."""
        try:
            for node in self._nodes:
                self._start_task(node, {})
            progress(0, len(self._nodes))
            while self._running and time.monotonic() < self._until:
                done, _ = self._ray.wait(list(self._running), timeout=POLL_SECONDS)
                for task in done:
                    self._take_result(self._running.pop(task), task)
                if not done:
                    self._drop_dead_nodes()
                progress(len(self._answers), len(self._nodes))
        finally:
            if self._package_folder:
                shutil.rmtree(self._package_folder, ignore_errors=True)

    def build_outcome(self, why: str, *, interrupted: bool = False) -> ClusterOutcome:
        """What is known of every node; `why` the others have not answered."""
        answers = (
            self._answers.get(node) or NodeAnswer(name, trouble=why)
            for node, name in self._nodes.items()
        )
        return ClusterOutcome(tuple(answers), interrupted)

    def _start_task(self, node: str, environment: Mapping[str, Any]) -> None:
        strategies = import_module("ray.util.scheduling_strategies")
        at = strategies.NodeAffinitySchedulingStrategy(node, soft=False)
        left = max(1.0, self._until - time.monotonic() - MARGIN_SECONDS)
        extra = {"runtime_env": dict(environment)} if environment else {}
        task = self._ray.remote(_build_task()).options(
            num_cpus=0, max_retries=0, scheduling_strategy=at, **extra
        )
        uploaded = bool(environment)
        running = task.remote(self._options, left, __version__, uploaded)
        self._running[running] = node

    def _take_result(self, node: str, task: Any) -> None:
        name = self._nodes[node]
        errors = import_module("ray.exceptions")
        try:
            file, data, trouble = self._ray.get(task)
        except errors.RayError as error:
            lines = str(error).strip().splitlines() or [type(error).__name__]
            self._answers[node] = NodeAnswer(name, trouble=f"lost: {lines[0]}")
            return
        if trouble == _MISSING and node not in self._uploaded:
            self._uploaded.add(node)
            self._start_task(node, self._build_environment())
            return
        self._answers[node] = NodeAnswer(name, file, data, trouble)

    def _drop_dead_nodes(self) -> None:
        """Ray says late that a node is gone; then there is nothing to wait for."""
        dead = {node["NodeID"] for node in self._ray.nodes() if not node["Alive"]}
        for task, node in list(self._running.items()):
            if node in dead:
                del self._running[task]
                self._answers[node] = NodeAnswer(self._nodes[node], trouble="lost: the node died")

    def _build_environment(self) -> Mapping[str, Any]:
        self._package_folder = self._package_folder or build_package_folder()
        return {"working_dir": self._package_folder, "pip": list_requirements()}


def build_package_folder() -> str:
    """A folder with our packages as an installer would leave them."""
    folder = Path(tempfile.mkdtemp(prefix="pipedoctor-ray-"))
    for name in _PACKAGES:
        module = import_module(name)
        source = Path(str(module.__file__)).parent
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(source, folder / name, ignore=ignored)
    metadata = folder / f"pipedoctor-{__version__}.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Name: pipedoctor\nVersion: {__version__}\n")
    (metadata / "entry_points.txt").write_text("[pipedoctor.checks]\nbuiltin = pipedoctor_checks\n")
    return str(folder)


def list_requirements() -> list[str]:
    """What our package needs besides itself, as its metadata says."""
    try:
        needs = importlib.metadata.requires("pipedoctor") or []
    except importlib.metadata.PackageNotFoundError:
        return []
    return [need for need in needs if "extra ==" not in need]


def _get_node_name(node: Mapping[str, Any]) -> str:
    return str(node.get("NodeManagerHostname") or node.get("NodeName") or "?")


def _build_task() -> Callable[..., tuple[str, bytes, str]]:
    """What runs on a node; nested, so that it travels by value and imports nothing."""

    def examine_node(
        options: Sequence[str], seconds: float, version: str, uploaded: bool
    ) -> tuple[str, bytes, str]:
        import functools  # noqa: PLC0415
        import os  # noqa: PLC0415
        import subprocess  # noqa: PLC0415
        import sys  # noqa: PLC0415
        import tempfile  # noqa: PLC0415

        boot = "import sys; sys.path[:0] = [sys.argv.pop(1)]; import runpy; "
        boot += "sys.argv[0] = 'pipedoctor'; "
        boot += "runpy.run_module('pipedoctor', run_name='__main__')"
        line = [sys.executable, "-c", boot, os.getcwd() if uploaded else ""]  # noqa: PTH109
        run = functools.partial(
            subprocess.run, capture_output=True, text=True, timeout=seconds, check=False
        )
        with tempfile.TemporaryDirectory() as folder:
            try:
                if not uploaded:
                    line = [sys.executable, "-m", "pipedoctor"]
                    if version not in run([*line, "--version"]).stdout:
                        return "", b"", "missing"
                done = run([*line, "check", *options, "--fleet-dir", folder])
            except subprocess.TimeoutExpired:
                return "", b"", f"check did not end within {seconds:.0f} s"
            for name in os.listdir(folder):  # noqa: PTH208
                with open(os.path.join(folder, name), "rb") as file:  # noqa: PTH118, PTH123
                    return name, file.read(), ""
        lines = done.stderr.strip().splitlines() or [f"ended with {done.returncode}"]
        return "", b"", lines[-1]

    return examine_node


@contextmanager
def _open_connection(address: str) -> Generator[Any, None, None]:
    """A connection to a cluster that runs; none is ever started."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        ray = import_module("ray")
    except ImportError:
        raise RayError(MISSING_RAY) from None
    _check_head(address)
    try:
        ray.init(
            address=address,
            log_to_driver=False,
            logging_level=logging.ERROR,
            configure_logging=True,
        )
    except (ConnectionError, RuntimeError, ValueError, OSError) as error:
        first = (str(error).strip().splitlines() or [type(error).__name__])[0]
        message = f"{address}: {first}"
        raise RayError(message) from None
    try:
        yield ray
    finally:
        ray.shutdown()


def _check_head(address: str) -> None:
    """Ray waits long for a head that is not there; a socket knows at once."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not host or not port.isdecimal():
        return  # auto, or the name of a profile
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=CONNECT_TIMEOUT).close()
    except (OSError, OverflowError) as error:
        message = f"{address}: {getattr(error, 'strerror', None) or error}"
        raise RayError(message) from None
