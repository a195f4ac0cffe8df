"""The view of `watch` with keys, where Textual is installed: sort processes, open one of them."""

import importlib
import importlib.util
import signal
import threading
from collections.abc import Callable
from functools import partial
from types import FrameType
from typing import Any

from pipedoctor.cli.actions.watch_view import format_head
from pipedoctor.facts import Facts, HotLine, LiveJob, LiveProcess, Quantiles
from pipedoctor.report.sentences import clean_text
from pipedoctor.units import format_size
from pipedoctor.watch.output.sample_line import build_sample

_POLL_SECONDS = 0.2
_JOIN_SECONDS = 5.0
_KEYS = (("c", "cpu"), ("r", "run queue"), ("b", "batches"), ("m", "memory"), ("p", "pid"))
_BINDINGS = [
    *((key, f"sort('{name}')", name) for key, name in _KEYS),
    ("escape", "close", "back"),
    ("q,ctrl+c", "quit", "report"),
]
_COLUMNS = ("PID", "role", "state", "CPU", "queue", "batches/s", "fds", "memory")
ShowInterval = Callable[[Facts], None]


class ViewClosedError(Exception):
    """Nobody looks any more: the report is due."""


class ViewState:
    """What the thread that watches and the view share."""

    def __init__(self) -> None:
        self.closing = threading.Event()
        self.latest: Facts | None = None
        self.failure: BaseException | None = None

    def sleep(self, seconds: float) -> None:
        """As time.sleep, until the view is closed; then ViewClosedError."""
        if self.closing.wait(seconds):
            raise ViewClosedError

    def close(self, _number: int = 0, _frame: FrameType | None = None) -> None:
        """End the view; also what a signal does."""
        self.closing.set()

    def show(self, known: Facts) -> None:
        """Show these facts from now on."""
        self.latest = known


def has_textual() -> bool:
    """Is there what this view needs?"""
    return importlib.util.find_spec("textual") is not None


def run_interactive(state: ViewState, watch: Callable[[], None]) -> None:
    """
    Show the view until it is closed, or until what watches, in another thread, is done.

    Raises what that raised.
    """

    def run() -> None:
        try:
            watch()
        except ViewClosedError:
            pass
        except BaseException as error:  # noqa: BLE001  (raised again below)
            state.failure = error
        finally:
            state.closing.set()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    before = signal.signal(signal.SIGTERM, state.close)
    try:
        build_app(state).run()
    finally:
        signal.signal(signal.SIGTERM, before)
        state.closing.set()
        thread.join(_JOIN_SECONDS)
    if state.failure is not None:
        raise state.failure


def build_app(state: ViewState) -> Any:
    """The application; it ends when the state is closing."""
    base: Any = importlib.import_module("textual.app").App
    widgets: Any = importlib.import_module("textual.widgets")

    class WatchApp(base):  # type: ignore[misc]
        """A table of processes, and what is known of the one that is open."""

        CSS = "#head, #detail { height: auto; } #detail { max-height: 50%; }"
        BINDINGS = _BINDINGS

        def compose(self) -> Any:
            yield widgets.Static(id="head", markup=False)
            yield widgets.DataTable(cursor_type="row")
            yield widgets.Static(id="detail", markup=False)
            yield widgets.Footer()

        def on_mount(self) -> None:
            self.shown: Facts | None = None
            self.order, self.opened = "cpu", 0
            self.query_one(widgets.DataTable).add_columns(*_COLUMNS)
            self.set_interval(_POLL_SECONDS, partial(_follow_state, self, state))

        def action_sort(self, name: str) -> None:
            self.order = name
            self.update_page()

        def action_close(self) -> None:
            self.opened = 0
            self.update_page()

        def on_data_table_row_selected(self, event: Any) -> None:
            self.opened = int(event.row_key.value)
            self.update_page()

        def update_page(self) -> None:
            _draw_page(self, self.query_one(widgets.DataTable), self.shown)

    return WatchApp()


def _follow_state(app: Any, state: ViewState) -> None:
    """Take what the other thread has seen; end with it."""
    if state.closing.is_set():
        app.exit()
    elif state.latest is not app.shown:
        app.shown = state.latest
        app.update_page()


def _draw_page(app: Any, table: Any, known: Facts | None) -> None:
    """The head, a row for each process, and the one that is open."""
    job = known.get(LiveJob) if known is not None else None
    if known is None or job is None:
        return
    app.query_one("#head").update("\n".join(format_head(build_sample(known), app.size.width)))
    row = table.cursor_row
    table.clear()
    for process in sort_processes(job.processes, app.order):
        table.add_row(*format_process(process), key=str(process.pid))
    table.move_cursor(row=row)
    one = next((p for p in job.processes if p.pid == app.opened), None)
    app.query_one("#detail").update("" if one is None else describe_process(one))


def sort_processes(processes: tuple[LiveProcess, ...], order: str) -> list[LiveProcess]:
    """The most of it first; by PID the lowest; what is unknown last."""
    if order == "pid":
        return sorted(processes, key=lambda p: p.pid)
    values: dict[str, Callable[[LiveProcess], float | None]] = {
        "cpu": lambda p: p.cpu,
        "run queue": lambda p: p.run_queue,
        "batches": lambda p: p.batches,
        "memory": lambda p: p.anonymous.last if p.anonymous else None,
    }
    value = values[order]
    return sorted(processes, key=lambda p: -1.0 if (v := value(p)) is None else v, reverse=True)


def format_process(process: LiveProcess) -> tuple[str, ...]:
    """A row of the table; unknown is a question mark."""
    return (
        str(process.pid),
        process.role if process.rank is None else f"{process.role} {process.rank}",
        process.state,
        _format(process.cpu, "{:.0%}"),
        _format(process.run_queue, "{:.0%}"),
        _format(process.batches, "{:.1f}") if process.role == "worker" else "",
        str(round(process.descriptors.last)) if process.descriptors else "?",
        format_size(round(process.anonymous.last)) if process.anonymous else "?",
    )


def _format(value: float | None, form: str) -> str:
    return "?" if value is None else form.format(value)


def describe_process(process: LiveProcess) -> str:
    """What is known of one process: its line, what it waits for, its batches."""
    lines = [f"{process.role} {process.pid}, {process.state}, watched {process.seconds:.0f} s"]
    if process.hot is not None:
        lines.append(f"line: {_describe_line(process.hot)}")
    if process.kernel is not None:
        wait = process.kernel
        where = f"{wait.call} {wait.path} {wait.fstype}".strip()
        lines.append(f"kernel: {where} ({wait.share:.0%})")
    if process.batch_seconds is not None:
        lines.append(f"batches: {_describe_times(process.batch_seconds)}")
    if process.unchanged_seconds > 1:
        lines.append(f"at the same line for {process.unchanged_seconds:.0f} s")
    if process.threads is not None:
        lines.append(f"threads: {process.threads.last:.0f}")
    if process.affinity:
        lines.append(f"may use CPUs {', '.join(map(str, process.affinity))}")
    lines += [f"unknown: {name}: {reason}" for name, reason in process.unknown.items()]
    return "\n".join(clean_text(line) for line in lines)


def _describe_line(hot: HotLine) -> str:
    return f"{hot.path}:{hot.line} in {hot.function} ({hot.share:.0%})"


def _describe_times(spread: Quantiles) -> str:
    return f"{spread.p50:.3f} s, p95 {spread.p95:.3f} s, p99 {spread.p99:.3f} s"
