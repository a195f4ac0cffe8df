"""What is printed to be typed is a line that its program accepts."""

import ast
import builtins
import functools
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from pipedoctor.check.remedy import OWN_IDS, WORKING_FOLDER, shell
from pipedoctor.explanation.signature_catalogue import load_signatures
from pipedoctor.log.signatures import Advice
from pipedoctor.report.model import ReportedRemedy
from tests.remedies.printed import SHELL, explain_text, list_logs, list_printed

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FOLDER = Path(__file__).parent
CHECKS = FOLDER.parents[1] / "checks" / "pipedoctor_checks"
GRAMMAR = tomllib.loads((FOLDER / "grammar.toml").read_text("utf-8"))
NOT_RUN = tomllib.loads((FOLDER / "not_run.toml").read_text("utf-8"))
USERS_NAMES = {
    *("DataLoader", "DistributedSampler", "Dataset", "batch", "cv2", "dataset", "device", "dist"),
    *("h5py", "lmdb", "loss", "np", "os", "path", "ranks", "self", "torch", "transforms"),
    *("download", "rank", "kept", "target", "x", "draw", "font", "text", "num_workers", "Image"),
    *("loss_sum", "index", "paths", "webdataset", "urls", "epochs", "loader"),
    *("StreamingDataset", "TrainingArguments", "load_dataset"),
}
"""What training code calls by these names: a remedy may, too."""


def remove_sudo(remedy: ReportedRemedy) -> list[str]:
    words = [*remedy.argv]
    return words[1:] if words[:1] == ["sudo"] else words


@functools.cache
def list_commands() -> list[tuple[str, ...]]:
    return sorted({tuple(words) for _, one in list_printed() if (words := remove_sudo(one))})


@functools.cache
def list_snippets() -> list[str]:
    return sorted({one.snippet for _, one in list_printed() if one.snippet and not one.shell})


def list_code() -> list[str]:
    return [text for text in list_snippets() if not SHELL.search(text)]


def check_words(words: Sequence[str]) -> None:
    known = GRAMMAR[words[0].rpartition("/")[2]]
    options = {word.partition("=")[0] for word in words[1:] if word.startswith("-")}
    assert options <= set(known["options"]), words
    assert "commands" not in known or words[1] in known["commands"], words
    for option, values in known.get("values", {}).items():
        given = words[words.index(option) + 1].split(",") if option in words else []
        assert {*given} <= {*values}, words


def test_the_program_knows_its_words() -> None:
    for words in list_commands():
        check_words(words)


@functools.cache
def list_advices() -> list[tuple[str, Advice]]:
    """Every remedy of every cause, with those that no text here calls up."""
    return [
        (one.cause, advice)
        for one in load_signatures().failures.values()
        for advice in one.remedies
    ]


def test_programs_know_the_words_of_remedies_that_no_text_calls_up() -> None:
    for _, advice in list_advices():
        words = advice.argv[advice.argv[:1] == ("sudo",) :]
        if words and not words[0].startswith("{"):
            check_words(words)


def read_words(node: ast.Tuple) -> list[str]:
    """The words of a tuple that are written out, or as far as they are."""
    parts = [
        (one.values[:1] or [one])[0] if isinstance(one, ast.JoinedStr) else one for one in node.elts
    ]
    return [
        one.value for one in parts if isinstance(one, ast.Constant) and isinstance(one.value, str)
    ]


@functools.cache
def list_written() -> list[list[str]]:
    """Every command of a check, also of those that no machine and no text here calls up."""
    trees = (ast.parse(path.read_text("utf-8")) for path in sorted(CHECKS.rglob("*.py")))
    tuples = [one for tree in trees for one in ast.walk(tree) if isinstance(one, ast.Tuple)]
    return [words for words in map(read_words, tuples) if words[1:] and words[0] in GRAMMAR]


def test_programs_know_the_words_of_every_check() -> None:
    assert len(list_written()) > 50
    for words in list_written():
        check_words(words)


def test_no_word_waits_for_a_shell_that_does_not_read_it() -> None:
    """A word of an argument vector is quoted: `$HOME` stays `$HOME`."""
    assert shell(["docker", "run", "--user", OWN_IDS]) == f'docker run --user "{OWN_IDS}"'
    assert shell(["docker", "run", "-v", "$PWD/a:/a"]) == 'docker run -v "$PWD/a:/a"'
    for cause, advice in list_advices():
        if advice.argv[:1] not in {("sh",), ("bash",)}:
            words = [w for w in advice.argv if w != OWN_IDS and WORKING_FOLDER not in w]
            assert not [word for word in words if "$" in word], (cause, advice.argv)


def test_the_packages_of_the_system_are_installed_as_root() -> None:
    installers = {"apt-get", "dnf", "yum"}
    for cause, advice in list_advices():
        assert not installers.intersection(advice.argv[:1]), cause
        for line in advice.snippet.splitlines():
            assert line.split(" ")[0] not in installers, (cause, line)


def test_every_grammar_says_where_it_is_from() -> None:
    assert all(row["source"].startswith(("https://", "docs/")) for row in GRAMMAR.values())
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\d", row["checked"]) for row in GRAMMAR.values())


HELPFUL = frozenset(
    {
        *("chcon", "chmod", "chown", "df", "env", "findmnt", "loginctl", "mkdir", "mount", "mv"),
        *("namei", "podman", "prlimit", "rm", "sed", "setfacl", "ss", "sysctl", "uv"),
    }
)
"""Programs whose `--help` lists what their own words take."""


def read_help(program: str, commands: Sequence[str]) -> str:
    lines = [[program, "--help"], *([program, command, "--help"] for command in commands)]
    done = [subprocess.run(one, check=False, capture_output=True, text=True) for one in lines]
    return "".join(f"{one.stdout}{one.stderr}" for one in done)


def list_unknown(program: str) -> list[str]:
    row = GRAMMAR[program]
    text = read_help(program, row.get("commands", []))
    bundles = {one for one in row["options"] if re.fullmatch("-[a-z]{2,5}", one)}
    letters = {f"-{letter}" for bundle in bundles for letter in bundle[1:]}
    options = {*row["options"], *letters} - {*bundles, "--"}
    return [one for one in options if not re.search(rf"(?<![\w-]){one}(?![\w-])", text)]


def test_the_grammar_is_what_the_programs_here_say_of_themselves() -> None:
    here = [program for program in sorted(HELPFUL) if shutil.which(program)]
    assert [(one, unknown) for one in here if (unknown := list_unknown(one))] == []


@pytest.mark.skipif(not shutil.which("bash"), reason="no bash here")
def test_bash_reads_every_line() -> None:
    shells = [text for text in list_snippets() if SHELL.search(text)]
    lines = sorted({one.shell for _, one in list_printed() if one.shell})
    for text in (*lines, *shells):
        done = subprocess.run(
            ["bash", "-n"], input=text, check=False, capture_output=True, text=True
        )
        assert (done.returncode, done.stderr) == (0, ""), text


def read_code(text: str) -> ast.Module | None:
    """Code of Python, and not a line of a file of another kind."""
    try:
        return ast.parse(text)
    except SyntaxError:
        return None


def list_unknown_names(tree: ast.Module) -> set[str]:
    """What code uses and neither defines, imports nor takes from the user's own."""
    bound: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            bound |= {node.name, *(argument.arg for argument in node.args.args)}
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            bound |= {(a.asname or a.name).partition(".")[0] for a in node.names}
        elif isinstance(node, ast.ExceptHandler) and node.name:
            bound.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            bound.add(node.id)
    used = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}
    return used - bound - USERS_NAMES - set(dir(builtins))


def test_code_defines_what_it_uses() -> None:
    trees = {text: read_code(text) for text in list_code() if text[0] != "#"}

    assert sum(tree is not None for tree in trees.values()) > 20
    for text, tree in trees.items():
        assert tree is None or not list_unknown_names(tree), text


OTHER_FILES = (
    "services:",
    "securityContext:",
    "resources:",
    "env:",
    "spec:",
    "#",
    "tmpfs ",
    "RUN ",
    "ENV ",
    "FROM ",
    "COPY ",
    "volumes:",
    "<cpu ",
    "[tool.",
    "- ",
)


def test_what_is_no_code_belongs_to_a_known_file() -> None:
    others = [text for text in list_code() if read_code(text) is None or text.startswith("#")]

    assert all(text.startswith(OTHER_FILES) for text in others)


@pytest.mark.skipif(not shutil.which("docker"), reason="no client of Docker here")
def test_the_client_of_docker_parses_the_flags() -> None:
    for words in list_commands():
        if words[:2] != ("docker", "run"):
            continue
        done = subprocess.run(
            [*words[:2], "--name=x", "--help", *words[2:]],
            check=False,
            capture_output=True,
            text=True,
            timeout=30,
        )
        assert "unknown flag" not in done.stderr, words
        assert "invalid argument" not in done.stderr, words
        assert done.returncode == 0, words


LOCAL = {("kubectl", "patch"), ("kubectl", "set")}
"""What the client can do without a cluster."""
DEPLOYMENT = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: TRAIN}
spec:
  selector: {matchLabels: {app: t}}
  template:
    metadata: {labels: {app: t}}
    spec: {containers: [{name: train, image: i}]}
"""


@pytest.mark.skipif(not shutil.which("kubectl"), reason="no client of Kubernetes here")
def test_the_client_of_kubernetes_merges_the_patch(tmp_path: Path) -> None:
    file = tmp_path / "deployment.yaml"
    file.write_text(DEPLOYMENT, "utf-8")
    ours = {"deployment", "TRAIN", "deployment/TRAIN"}
    for words in list_commands():
        if words[:2] not in LOCAL or any(word.startswith("--from=") for word in words):
            continue
        rest = [word for word in words[1:] if word not in ours]
        done = subprocess.run(
            ["kubectl", *rest, "--local", "-f", str(file), "-o", "yaml"],
            check=False,
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert done.returncode == 0, done.stderr
        assert "name: train" in done.stdout, words


WINDOWS = '  File "C:\\Users\\me\\train.py", line 3, in <module>\n'


@pytest.mark.parametrize("cause", sorted(list_logs()))
def test_nothing_of_another_system_is_typed_on_windows(cause: str) -> None:
    for remedy in explain_text(WINDOWS + list_logs()[cause]):
        assert "'" not in remedy.shell
        assert not remedy.shell.startswith(("sudo ", "apt-get", "sh ", "env ", "mount"))
        assert not remedy.snippet.startswith(("export ", "unset "))
