"""What a log tells stays one word of the line that is typed, and is never a command."""

import pytest

from pipedoctor.explanation.advice import quote_value


@pytest.mark.parametrize(
    ("name", "value", "before", "windows", "written"),
    [
        ("path", "/data/a-b.c", "du -xah ", False, "/data/a-b.c"),
        ("path", "/data/my set", "du -xah ", False, "'/data/my set'"),
        ("path", "/x; rm -r ~", "du -xah ", False, "'/x; rm -r ~'"),
        ("path", "~/my set", "du -xah ", False, "~/'my set'"),
        ("path", "~/a;id", "du -xah ", False, "~/'a;id'"),
        ("path", "~", "du -xah ", False, "~"),
        ("path", "~anna/$(id)", "du -xah ", False, "'~anna/$(id)'"),
        ("dataset", "org/set", "python -c \"load('", False, "org/set"),
        ("path", "/my set", "echo 'a' ", False, "'/my set'"),
        ("packages", "torch>=2 'numpy<2'", "pip install ", False, "'torch>=2' 'numpy<2'"),
        ("packages", "it's", "pip install ", False, "'it'\"'\"'s'"),
        ("command", "sshfs a:/b /c", "", False, "sshfs a:/b /c"),
        ("path", "C:\\data", "cd ", True, "C:\\data"),
        ("path", "C:\\my data", "cd ", True, '"C:\\my data"'),
        ("path", "C:\\my data", "Get-ChildItem '", True, "C:\\my data"),
    ],
)
def test_a_value_is_one_word(
    name: str, value: str, before: str, windows: bool, written: str
) -> None:
    assert quote_value(name, value, before, windows=windows) == written


@pytest.mark.parametrize(
    ("value", "before", "windows"),
    [
        ("a$(id)", 'python -c "', False),
        ("a'b", "python -c '", False),
        ("a\\b", 'python -c "', False),
        ("a'b", "Get-ChildItem '", True),
        ("%PATH% x", "cd ", True),
    ],
)
def test_what_no_quotation_holds_is_not_printed(value: str, before: str, windows: bool) -> None:
    with pytest.raises(LookupError, match="path"):
        quote_value("path", value, before, windows=windows)
