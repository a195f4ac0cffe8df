"""One place decides how a path is touched: in a lane, with a deadline. A lint holds it."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import pipedoctor

ROOT = Path(pipedoctor.__file__).parent
TOUCHING = frozenset(
    (
        *("stat", "lstat", "statvfs", "exists", "lexists", "is_file", "is_dir", "isfile", "isdir"),
        *("is_symlink", "islink", "samefile", "getsize", "access", "readlink", "realpath"),
        *("iterdir", "glob", "rglob", "scandir", "listdir", "which"),
        *("open", "read_text", "read_bytes", "write_text", "write_bytes", "touch"),
        *(
            "mkdir",
            "makedirs",
            "unlink",
            "rmdir",
            "rmtree",
            "rename",
            "chmod",
            "chown",
            "symlink_to",
        ),
        *("mkdtemp", "mkstemp", "gettempdir", "TemporaryDirectory", "TemporaryFile"),
        *("NamedTemporaryFile", "copyfile", "copy2", "Popen", "check_output", "check_call"),
    )
)
"""Calls that look something up in a file system, by their last name."""
IN_LANES = "only lanes come here"
KERNEL = "/proc and /sys, which the kernel itself answers"
OWN_FILES = "files of this program, beside the code that runs"
DESCRIPTORS = "descriptors of this process, by number"
ASKED = "after fix.dead_paths has asked, in lanes, whether it answers"
ANSWERED = "after files.require_answer"
PROGRAM = "after cli.program_paths has asked whether what a program needs answers"
CHILD = "runs in the examined program, never in this process"
ALLOWED = {
    "runtime": "this is the place",
    "collect": IN_LANES,
    "source": IN_LANES,
    "live": CHILD,
    "bench/programs": CHILD,
    "fleet/programs": CHILD,
    "tune/target": CHILD,
    "fix": ASKED,
    "bench/decoder.py": PROGRAM,
    "bench/images.py": IN_LANES,
    "bench/transfer.py": PROGRAM,
    "bench/window.py": KERNEL,
    "check/gpu_evidence.py": OWN_FILES,
    "cli/request/config_files.py": IN_LANES,
    "cli/request/file_kind.py": IN_LANES,
    "cli/actions/log_input.py": "in a lane, or a descriptor of this process",
    "cli/terminal/output.py": DESCRIPTORS,
    "cli/actions/output_file.py": IN_LANES,
    "cli/terminal/passthrough.py": "the user's own command, which is looked for in a lane",
    "cli/run.py": IN_LANES,
    "cli/actions/run_explanation.py": IN_LANES,
    "cli/actions/run_inside.py": PROGRAM,
    "cli/terminal/source_frames.py": IN_LANES,
    "cli/terminal/standard_streams.py": DESCRIPTORS,
    "cli/actions/watch_inject.py": PROGRAM,
    "diff/field_meanings.py": OWN_FILES,
    "engine/catalogue.py": OWN_FILES,
    "engine/packs.py": OWN_FILES,
    "explanation/hook.py": CHILD,
    "explanation/word_similarity.py": OWN_FILES,
    "fleet/folder.py": IN_LANES,
    "fleet/history.py": "a database that DuckDB opens itself",
    "fleet/local_rank.py": ANSWERED,
    "fleet/probe.py": PROGRAM,
    "fleet/ray_cluster.py": "on Ray's nodes, and for Ray's own client",
    "log/signatures.py": OWN_FILES,
    "log/translations.py": OWN_FILES,
    "report/archive.py": IN_LANES,
    "report/bundle.py": "a file in memory",
    "suppress/baseline.py": ANSWERED,
    "tune/search/session.py": PROGRAM,
    "watch/samples/called_names.py": KERNEL,
    "watch/system/job_limits.py": ANSWERED,
    "watch/system/process_counters.py": KERNEL,
    "watch/system/process_resources.py": KERNEL,
    "watch/system/process_tree.py": KERNEL,
    "watch/output/recording.py": ANSWERED,
    "watch/attach/remote_script.py": KERNEL,
    "watch/stacks": KERNEL,
}
"""Modules, or whole folders, that may touch a path outside of `runtime`, and why."""


def iter_touches(path: Path) -> Iterator[tuple[int, str]]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call):
            continue
        called = node.func
        name = getattr(called, "attr", "") or getattr(called, "id", "")
        if name in TOUCHING:
            yield node.lineno, name


def find_reason(module: str) -> str:
    parts = module.split("/")
    above = ("/".join(parts[:length]) for length in range(len(parts), 0, -1))
    return next((ALLOWED[one] for one in above if one in ALLOWED), "")


def test_no_path_is_touched_elsewhere() -> None:
    found = [
        f"{module}:{line}: {name}"
        for path in sorted(ROOT.rglob("*.py"))
        if not find_reason(module := path.relative_to(ROOT).as_posix())
        for line, name in iter_touches(path)
    ]

    assert found == [], "use runtime.files, or run it in a lane"


@pytest.mark.parametrize("module", ALLOWED)
def test_every_exception_is_one(module: str) -> None:
    """What no longer touches anything needs no exception."""
    place = ROOT / module
    files = [place] if place.is_file() else list(place.rglob("*.py"))

    assert any(True for file in files for _ in iter_touches(file))


def test_the_lint_sees_a_touch(tmp_path: Path) -> None:
    code = tmp_path / "x.py"
    code.write_text("import os\nos.stat('x')\nopen('y')\nlen('z')\n", encoding="utf-8")

    assert list(iter_touches(code)) == [(2, "stat"), (3, "open")]
