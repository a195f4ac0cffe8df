"""What CONTRIBUTING.md says of sizes: files and functions that one can take in."""

import ast
import re
from collections import defaultdict
from functools import cache
from pathlib import Path

import pipedoctor
import pipedoctor_checks

LARGEST_FILE = 300
LONGEST_FUNCTION = 40
SMALL_FILE, FOLDED_FILE = 60, 250
"""Lines, without decorators and docstring: that of a check is its page."""


READING_ROOMS = (
    *("bottleneck", "cli", "collect", "engine", "explanation", "log", "privacy", "report"),
    *("source", "suppress", "text", "watch"),
)
OPENERS = {"open", "fdopen", "read_text", "read_bytes"}
OWN_READERS = {
    "cli/actions/log_input.py": "a log that the user names may be a pipe",
    "cli/terminal/output.py": "/dev/null, to write",
    "cli/terminal/standard_streams.py": "/dev/null",
    "collect/system/kernel_log.py": "/dev/kmsg is a device",
    "collect/environment/metadata.py": "its own function of this name",
    "collect/storage/pagecache.py": "data that is measured: not its access time, never a link",
    "collect/system/shm_segments.py": "the folder of descriptors in /proc/PID",
    "engine/catalogue.py": "a file of a pack, which is code that is run",
    "engine/packs.py": "that of regular_file",
    "explanation/hook.py": "/dev/null",
    "explanation/word_similarity.py": "a file of ours",
    "log/signatures.py": "a file of ours",
    "log/translations.py": "a file of ours",
    "report/bundle.py": "a member of an archive in memory",
    "source/discover/files.py": "a descriptor of regular_file",
    "watch/system/process_counters.py": "/proc/PID",
    "watch/system/process_tree.py": "/proc/PID",
    "watch/output/recording.py": "a recording that the user names",
    "watch/stacks/code_objects.py": "memory, not files",
}
"""Modules that open files by themselves, and why they may."""


@cache
def product() -> list[tuple[Path, str, ast.Module]]:
    """Each file that is shipped: its text and its tree."""
    found: list[tuple[Path, str, ast.Module]] = []
    for package in (pipedoctor, pipedoctor_checks):
        assert package.__file__
        for file in sorted(Path(package.__file__).parent.rglob("*.py")):
            text = file.read_text(encoding="utf-8")
            found.append((file, text, ast.parse(text)))
    return found


def lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    assert function.end_lineno is not None
    first = function.body[0]
    page = ast.get_docstring(function, clean=False) is not None
    assert first.end_lineno is not None
    told = first.end_lineno - first.lineno + 1 if page else 0
    return function.end_lineno - function.lineno + 1 - told


def test_files_and_functions_stay_small() -> None:
    found: list[str] = []
    for file, text, tree in product():
        if (count := text.count("\n")) > LARGEST_FILE:
            found.append(f"{file.name}: {count} lines")
        found += (
            f"{file.name}:{node.lineno} {node.name}: {lines(node)} lines"
            for node in ast.walk(tree)
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
            and lines(node) > LONGEST_FUNCTION
        )

    assert not found


def test_files_of_tests_stay_small_too() -> None:
    found = [
        f"{file.name}: {count} lines"
        for file in sorted(Path(__file__).parent.rglob("*.py"))
        if (count := file.read_text(encoding="utf-8").count("\n")) > LARGEST_FILE
    ]

    assert not found


def test_no_class_has_the_name_of_another() -> None:
    """So that a search for a name finds one thing; a leading underscore is no difference."""
    places: dict[str, list[str]] = {}
    for file, _, tree in product():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                places.setdefault(node.name.lstrip("_"), []).append(f"{file.name}:{node.lineno}")

    assert {name: at for name, at in places.items() if len(at) > 1} == {}


def is_opener(call: ast.Call) -> bool:
    """``open(...)``, ``os.open(...)``, ``path.open(...)``, ``path.read_text()`` and so on."""
    if isinstance(call.func, ast.Name):
        return call.func.id in OPENERS
    if not isinstance(call.func, ast.Attribute) or call.func.attr not in OPENERS:
        return False
    return ast.unparse(call.func.value) not in {"regular_file", "metadata"}


def test_files_of_others_are_opened_in_one_place() -> None:
    """A pipe, a device or gigabytes may be there: `pipedoctor.runtime.regular_file`."""
    assert pipedoctor.__file__
    root = Path(pipedoctor.__file__).parent
    opening = {
        file.relative_to(root).as_posix()
        for file, _, tree in product()
        if file.is_relative_to(root) and file.relative_to(root).parts[0] in READING_ROOMS
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and is_opener(node)
    }

    assert opening == set(OWN_READERS)


def test_small_modules_are_kept_for_a_reason() -> None:
    """Two files that only serve each other are one, unless docs/decisions.md says why."""
    assert pipedoctor.__file__
    root = Path(pipedoctor.__file__).parent.parent
    text = (Path(__file__).parents[1] / "docs/decisions.md").read_text(encoding="utf-8")
    section = text.split("## Small modules that are kept")[1].split("\n## ")[0]
    users = find_users()
    sizes = {file: text.count("\n") for file, text, _ in product()}

    apart = {
        module_name(file, root).removeprefix("pipedoctor.")
        for file, size in sizes.items()
        for user in users[module_name(file, root)]
        if size < SMALL_FILE and file.name != "__init__.py"
        if len(users[module_name(file, root)]) == 1 and user.parent == file.parent
        if size + sizes[user] <= FOLDED_FILE and file.is_relative_to(root / "pipedoctor")
    }
    assert apart == set(re.findall(r"`(\w+\.[\w.]+)`", section)) - {"tests.test_house"}


def module_name(file: Path, root: Path) -> str:
    return ".".join(file.relative_to(root).with_suffix("").parts)


def find_users() -> dict[str, set[Path]]:
    """The files of the product that import each module."""
    users: defaultdict[str, set[Path]] = defaultdict(set)
    for file, _, tree in product():
        for node in ast.walk(tree):
            names: list[str] = []
            if isinstance(node, ast.ImportFrom) and node.module:
                names = [node.module, *(f"{node.module}.{one.name}" for one in node.names)]
            elif isinstance(node, ast.Import):
                names = [one.name for one in node.names]
            for name in names:
                users[name].add(file)
    return users
