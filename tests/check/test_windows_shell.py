"""Lines that cmd.exe and PowerShell read alike."""

import pytest

from pipedoctor.check import Lasts, Remedy, environment
from pipedoctor.check.windows_shell import format_for_windows, is_for_windows, translate_snippet


@pytest.mark.parametrize(
    ("argv", "line"),
    [
        (("python", "-m", "pip", "install", "numpy<2"), 'python -m pip install "numpy<2"'),
        (("python", "C:\\Program Files\\a.py"), 'python "C:\\Program Files\\a.py"'),
        (("echo", 'say "x"', ""), 'echo "say \\"x\\"" ""'),
        (("pipedoctor", "tune", "a.py:build"), "pipedoctor tune a.py:build"),
    ],
)
def test_words_stand_in_double_quotes(argv: tuple[str, ...], line: str) -> None:
    assert format_for_windows(argv) == line


def make(*argv: str, snippet: str = "", root: bool = False) -> Remedy:
    return Remedy(title="", lasts=Lasts.ALWAYS, argv=argv, snippet=snippet, root=root)


@pytest.mark.parametrize(
    ("remedy", "fits"),
    [
        (make("python", "-m", "pip", "list"), True),
        (make("apt-get", "install", "x"), False),
        (make("python", root=True), False),
        (make(snippet="export A=$HOME"), False),
        (make(snippet="DataLoader(..., num_workers=2)"), True),
    ],
)
def test_what_can_be_typed_there(remedy: Remedy, fits: bool) -> None:
    assert is_for_windows(remedy) is fits


@pytest.mark.parametrize(
    ("remedy", "lines"),
    [
        (environment("", A=1, B=2)[0], 'set "A=1"\nset "B=2"'),
        (environment("", A="C:\\a b;D:\\c", B=2)[0], 'set "A=C:\\a b;D:\\c"\nset "B=2"'),
        (environment("", A="$HOME;x")[0], "export 'A=$HOME;x'"),
        (make("unset", "PYTHONPATH"), 'set "PYTHONPATH="'),
        (make(snippet="unset A"), 'set "A="'),
        (make(snippet="x = 1"), "x = 1"),
    ],
)
def test_variables_are_set_as_there(remedy: Remedy, lines: str) -> None:
    told = translate_snippet(remedy)

    assert (told.argv, told.snippet) == ((), lines)
