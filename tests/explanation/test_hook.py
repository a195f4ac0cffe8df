"""`pipedoctor.explain` and `pipedoctor.install`: for exceptions, in Python."""

import os
import subprocess
import sys

import pytest

import pipedoctor
from pipedoctor.explanation import hook, local_facts, text
from pipedoctor.explanation.model import SuspectedCause
from pipedoctor.facts import Facts


def fail(message: str) -> None:
    raise RuntimeError(message)


def test_text() -> None:
    said = pipedoctor.explain("OSError: AF_UNIX path too long")

    assert said.causes[0].name == "tmpdir-path-too-long"


def test_exception() -> None:
    with pytest.raises(RuntimeError) as caught:
        fail("received 0 items of ancdata")

    said = pipedoctor.explain(caught.value)
    assert said.causes[0].name == "fd-limit-exhausted"


def test_own_exception() -> None:
    nothing: dict[str, int] = {}
    with pytest.raises(KeyError) as caught:
        nothing["x"]

    said = pipedoctor.explain(caught.value)
    assert said.not_environment
    assert said.fault is not None
    assert said.fault.path == __file__


def python(code: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        check=False,
        env=os.environ,
        text=True,
        timeout=60,
    )


def test_importing_stays_light() -> None:
    code = "import sys, pipedoctor; print('msgspec' in sys.modules)"

    assert python(code).stdout == "False\n"


def test_three_lines_under_a_traceback() -> None:
    code = (
        "import pipedoctor; pipedoctor.install(); pipedoctor.install()\n"
        "raise RuntimeError('received 0 items of ancdata')"
    )

    done = python(code)

    assert done.returncode == 1
    *trace, one, two, three = done.stderr.splitlines()
    assert trace[-1] == "RuntimeError: received 0 items of ancdata"
    assert one.startswith("pipedoctor: fd-limit-exhausted (certain, here ")
    assert two.startswith("  the limit on open files")
    assert three.startswith("  ")


@pytest.mark.parametrize("what", ["KeyError(1)", "KeyboardInterrupt()", "SystemExit(3)"])
def test_nothing_under_what_is_not_ours(what: str) -> None:
    done = python(f"import pipedoctor; pipedoctor.install()\nraise {what}")

    assert "pipedoctor:" not in done.stderr


def test_never_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: object) -> float:
        return 1 / 0

    monkeypatch.setattr(hook, "_build_summary", broken)

    assert hook.summarize_error(RuntimeError("x")) == ""


def test_the_hook_waits_for_no_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[float] = []

    def late(_: frozenset[str], *, deadline: float) -> Facts:
        asked.append(deadline)
        return Facts()

    monkeypatch.setattr(local_facts, "collect_sections", late)

    said = hook.summarize_error(RuntimeError("received 0 items of ancdata"))

    assert said.startswith("pipedoctor: fd-limit-exhausted (certain, here unknown)\n")
    assert asked == [hook.DEADLINE]


def test_a_command_is_never_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    def long(_: SuspectedCause) -> str:
        return "x" * 400

    monkeypatch.setattr(text, "choose_command", long)

    said = hook.summarize_error(RuntimeError("received 0 items of ancdata"))

    assert said.splitlines()[2].startswith("  " + "x" * 400)


def test_ctrl_c_meanwhile_is_not_heard_of(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_: object) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr(hook, "_build_summary", interrupted)

    assert hook.summarize_error(RuntimeError("x")) == ""


@pytest.mark.skipif(os.name != "posix", reason="POSIX limits")
def test_where_no_descriptor_is_left() -> None:
    code = (
        "import os, resource, pipedoctor; pipedoctor.install()\n"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))\n"
        "while True: os.dup(0)"
    )

    done = python(code)

    assert "OSError: [Errno 24]" in done.stderr
    assert "\npipedoctor: fd-limit-exhausted (" in done.stderr


def test_what_became_somebody_elses_stays_open() -> None:
    code = (
        "import os, pipedoctor; from pipedoctor.explanation import hook\n"
        "pipedoctor.install(); number = hook._reserved[-1]\n"
        "r, w = os.pipe(); os.dup2(w, number)\n"
        "hook.summarize_error(ValueError(1)); os.write(number, b'x'); print(os.read(r, 1))"
    )

    assert python(code).stdout == "b'x'\n"


class Shell:
    """What IPython's shell has of interest to us."""

    def __init__(self) -> None:
        self.shown = 0

    def showtraceback(self) -> None:
        self.shown += 1


def test_ipython(capsys: pytest.CaptureFixture[str]) -> None:
    shell = Shell()
    hook.install_ipython(shell)
    hook.install_ipython(shell)
    try:
        fail("received 0 items of ancdata")
    except RuntimeError:
        shell.showtraceback()

    assert shell.shown == 1
    assert capsys.readouterr().err.count("pipedoctor: fd-limit-exhausted") == 1
