"""`pipedoctor check`: options, exit codes, one line for each mistake."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest
from click.testing import Result

from pipedoctor.report.json import schema

Run = Callable[..., Result]
Start = Callable[..., "subprocess.CompletedProcess[bytes]"]


def complaint(result: Result) -> str:
    """The one line on stderr of a run that was refused."""
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    return result.stderr.removeprefix("pipedoctor check: ").removesuffix("\n")


def test_a_machine_is_judged(run: Run) -> None:
    result = run("check", "--quick", "--format", "json")

    assert result.exit_code in (0, 1), result.stderr
    report = json.loads(result.stdout)
    jsonschema.validate(report, schema())
    assert report["recorded"] == ""
    assert "site" in report["facts"]["known"]


def test_every_check_is_in_one_place_only(run: Run) -> None:
    report = json.loads(run("check", "--quick", "--format", "json").stdout)
    listed = json.loads(run("list", "--format", "json").stdout)

    found = {entry["code"] for entry in report["findings"]}
    places = [*found, *report["healthy"], *(s["code"] for s in report["skipped"])]

    assert sorted(places) == sorted(check["code"] for check in listed["checks"])


def test_a_record_of_another_machine(run: Run, record: str) -> None:
    result = run("check", "--from", record, "--select", "shm-too-small")

    assert result.exit_code == 1
    first, second, *_ = result.stdout.splitlines()
    assert first == "Docker container, Debian 12: 1 finding breaks the job."
    assert second == "Judged from a record of 2026-01-01T00:00:00Z."
    assert "1  BREAKS  " in result.stdout
    assert "$ docker run --shm-size=" in result.stdout


def test_a_record_from_stdin_says_the_same(run: Run, record: str) -> None:
    by_name = run("check", "-q", "--from", record)
    by_stdin = run("check", "-q", "--from", "-", stdin=Path(record).read_bytes())

    assert by_stdin.stdout == by_name.stdout != ""


def test_the_text_of_a_ticket(run: Run) -> None:
    text = (
        b"```\r\nPyTorch version: 2.11.0+cu130\r\nOS: Ubuntu 24.04 LTS (x86_64)\r\n"
        b"Is CUDA available: False\r\nGPU 0: NVIDIA A100 80GB PCIe\r\n"
        b"Nvidia driver version: 535.183.01\r\n```\r\n"
    )

    result = run("check", "-v", "--from", "-", stdin=text)

    assert result.exit_code == 1
    first, second, *rest = result.stdout.splitlines()
    assert first == "Machine of a ticket, Ubuntu 24.04 LTS: 1 finding breaks the job."
    assert second == (
        "Judged from the text of a collector such as torch.utils.collect_env."
    )
    assert any("needs driver 580" in line for line in rest)
    assert any(line.endswith("shm: not in this text") for line in rest)


def test_a_report_judged_again_finds_the_same(
    run: Run, record: str, tmp_path: Path
) -> None:
    first = run("check", "--from", record, "--format", "json")
    again = tmp_path / "again.json"
    again.write_text(first.stdout)

    second = run("check", "--from", str(again), "--format", "json")

    one, two = json.loads(first.stdout), json.loads(second.stdout)
    for key in ("facts", "findings", "healthy", "skipped", "summary"):
        assert one[key] == two[key], key


def test_a_record_is_redacted_too(run: Run, record: str) -> None:
    facts = json.loads(run("check", "--from", record, "--format", "json").stdout)
    real = run("check", "--from", record, "--format", "json", "--no-redact").stdout

    assert "carol@nas01" in facts["facts"]["unknown"]["gpu"], "nobody knows them here"
    assert "carol@nas01" in real


def test_the_job_of_a_record_can_be_told(run: Run, record: str) -> None:
    small = run(
        "check", "--from", record, "--batch-bytes", "1M", "--select", "shm-too-small"
    )
    none = run("check", "--from", record, "--workers", "0", "--select", "shm-too-small")

    assert (small.exit_code, none.exit_code) == (0, 0)


@pytest.mark.parametrize(
    ("fail_on", "code"),
    [("breaks", 1), ("risks", 1), ("slows", 1), ("note", 1), ("never", 0)],
)
def test_fail_on(run: Run, record: str, fail_on: str, code: int) -> None:
    args = ("--from", record, "--select", "shm-too-small", "--fail-on", fail_on)

    assert run("check", *args).exit_code == code


def test_what_is_below_fail_on_is_no_failure(run: Run, record: str) -> None:
    args = ("check", "--from", record, "--select", "shm-too-small")
    tight = (*args, "--batch-bytes", "3200K")  # 56 MiB of 64, headroom wants 70

    assert run(*tight).exit_code == 0
    assert run(*tight, "--fail-on", "risks").exit_code == 1


def test_nothing_judged_is_no_health(run: Run, record: str) -> None:
    result = run("check", "--from", record, "--select", "slow-storage")

    assert result.exit_code == 3
    assert "nothing could be judged" in result.stdout


def test_what_is_not_selected_is_skipped(run: Run, record: str) -> None:
    result = run(
        "check",
        "--from",
        record,
        "--format",
        "json",
        "--select",
        "pdr70,slow_storage",
        "--ignore",
        "PDR702",
    )

    skipped = {s["code"]: s["reason"] for s in json.loads(result.stdout)["skipped"]}
    assert skipped["PDR702"] == "not selected"
    assert skipped["PDR712"] == "not selected"
    assert skipped["PDR710"] != "not selected"
    assert "PDR701" not in skipped


def test_quiet_is_a_line_a_finding(run: Run, record: str) -> None:
    result = run("check", "-q", "--from", record, "--select", "shm-too-small")

    assert result.stdout.startswith("breaks PDR701 shm-too-small: ")
    assert result.stdout.count("\n") == 1


def test_verbose_says_why(run: Run, record: str) -> None:
    result = run("check", "-v", "--from", record, "--select", "shm-too-small")

    assert "why here: breaks: it will crash the job" in result.stdout
    assert "Skipped PDR710 slow-storage: not selected" in result.stdout


def test_markdown(run: Run, record: str) -> None:
    result = run("check", "--from", record, "--format", "markdown")

    assert result.stdout.startswith("# pipedoctor: ")


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (
            ("--data", "none"),
            "--data: none: No such file or directory; expected a data set",
        ),
        (
            ("none.py",),
            (
                "PATHS: none.py: No such file or directory;"
                " expected a file or folder of code"
            ),
        ),
        (
            ("--select", "shm-to-small"),
            (
                "'shm-to-small' is no name, code or beginning of a code of a check;"
                " did you mean `shm-too-small`?"
            ),
        ),
        (
            ("--ignore", "x\x1b[31m"),
            "'x\\x1b[31m' is no name, code or beginning of a code of a check",
        ),
        (
            ("--python", "a", "--env", "b"),
            "--python and --env both name the environment: give one of them",
        ),
        (
            ("--deadline", "nan"),
            "Invalid value for '--deadline': 'nan' is not a number of seconds",
        ),
        (
            ("--deadline", "inf"),
            "Invalid value for '--deadline': 'inf' is not a number of seconds",
        ),
        (
            ("--workers", "65537"),
            "Invalid value for '--workers': 65537 is not in the range 0<=x<=65536.",
        ),
        (
            ("--workers", "65536", "--ranks", "65536", "--batch-bytes", "1G"),
            "so many batches of so many bytes are more than any machine has",
        ),
        (("--from", "none"), "--from none: cannot be read: No such file or directory"),
        (("--config", "none"), "none: No such file or directory"),
        (
            ("--batch-bytes", "many"),
            (
                "Invalid value for '--batch-bytes': 'many' is not a size:"
                " write 5G, 512M, 64MiB or a number of bytes"
            ),
        ),
        (
            ("--format", "pdf"),
            (
                "Invalid value for '--format': 'pdf' is not one of 'text', 'json',"
                " 'markdown', 'html', 'sarif', 'junit', 'github'."
            ),
        ),
        (
            ("-o", "none/x"),
            "none/x: cannot be written: No such file or directory",
        ),
        (("-o", "."), ".: cannot be written: Is a directory"),
    ],
)
def test_mistakes_are_told_in_a_line(
    run: Run, args: tuple[str, ...], message: str
) -> None:
    assert complaint(run("check", "--quick", *args)) == message


@pytest.mark.parametrize(
    "args",
    [("x.py",), ("--data", "x"), ("--pid", "1"), ("--python", "x"), ("--env", "x")],
)
def test_a_record_is_judged_and_nothing_of_this_machine(
    run: Run, record: str, args: tuple[str, ...]
) -> None:
    name = args[0] if args[0].startswith("--") else "PATHS"

    assert complaint(run("check", "--from", record, *args)) == (
        f"--from judges a record: {name} names something of this machine"
    )


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "it is empty"),
        (b"{", "Input data was truncated"),
        (
            b"# pipedoctor: nothing wrong was found\n",
            "a report in Markdown is for people, and has not all facts in it",
        ),
        (b"\x00\xff", "binary data"),
        (b"[" * 100_000, "no output of torch.utils.collect_env or its like in it"),
        (b'{"x":' * 100_000, "nested too deeply"),
    ],
)
def test_what_is_no_record_is_refused(run: Run, data: bytes, message: str) -> None:
    assert complaint(run("check", "--from", "-", stdin=data)) == (
        "--from -: expected a report of `pipedoctor check` as JSON, HTML or .zip, or "
        "the text of `python -m torch.utils.collect_env`: " + message
    )


def test_endless_input_is_refused_at_once(run: Run) -> None:
    began = time.monotonic()

    message = complaint(run("check", "--from", "/dev/zero"))

    assert message == "--from /dev/zero: larger than 32 MiB: not a report of pipedoctor"
    assert time.monotonic() - began < 10


def test_a_report_is_written_whole_and_redacted(
    run: Run, record: str, tmp_path: Path
) -> None:
    target = tmp_path / "report.json"
    target.write_text("old")
    target.chmod(0o640)

    result = run("check", "--from", record, "--format", "json", "-o", str(target))

    assert result.stdout == ""
    assert json.loads(target.read_text())["schema"] == "pipedoctor.report/1"
    assert target.stat().st_mode & 0o777 == 0o640
    assert sorted(p.name for p in tmp_path.iterdir()) == ["record.json", "report.json"]


def test_a_device_is_written_to_not_replaced(run: Run, record: str) -> None:
    assert run("check", "--from", record, "-o", "/dev/null").exit_code == 1
    assert Path("/dev/null").is_char_device()


def test_a_link_keeps_its_target(run: Run, record: str, tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    link = tmp_path / "report.txt"
    link.symlink_to("real/report.txt")

    run("check", "--from", record, "-o", str(link))

    assert link.is_symlink()
    assert "BREAKS" in (tmp_path / "real" / "report.txt").read_text()


def test_the_configuration_is_used(run: Run, record: str, tmp_path: Path) -> None:
    config = tmp_path / "pipedoctor.toml"
    config.write_text('fail-on = "never"\nformat = "json"\nworkers = 0\n')

    by_file = run("check", "--from", record)
    by_hand = run("check", "--from", record, "--fail-on", "note", "--format", "text")
    without = run("check", "--from", record, "--no-config")

    assert by_file.exit_code == 0
    assert json.loads(by_file.stdout)["summary"]["breaks"] >= 1, "workers of ours"
    assert by_hand.exit_code == 1
    assert by_hand.stdout.startswith("Docker container")
    assert without.exit_code == 1


def test_accepted_risks_are_skipped_until_their_day(
    run: Run, record: str, tmp_path: Path
) -> None:
    args = ("check", "--from", record, "--select", "shm-too-small", "--format", "json")
    config = tmp_path / "pipedoctor.toml"
    accept = '[[accept]]\nname = "shm-too-small"\nreason = "old box"\nuntil = '

    config.write_text(accept + "2999-01-01")
    accepted = run(*args)
    config.write_text(accept + "2020-01-01")
    expired = run(*args)

    assert accepted.exit_code == 0
    (skip,) = [s for s in json.loads(accepted.stdout)["skipped"] if s["accepted"]]
    assert skip["reason"] == "accepted until 2999-01-01: old box"
    assert expired.exit_code == 1
    (finding,) = json.loads(expired.stdout)["findings"]
    assert finding["why"].endswith("; was accepted until 2020-01-01: old box")


def test_a_broken_configuration_is_named(run: Run, tmp_path: Path) -> None:
    (tmp_path / "pipedoctor.toml").write_text("wrokers = 1")

    assert complaint(run("check")) == (
        f"{tmp_path}/pipedoctor.toml: wrokers: no option or check of this name;"
        " did you mean `workers`?"
    )


def test_thresholds_reach_the_check(run: Run, record: str, tmp_path: Path) -> None:
    args = ("check", "--from", record, "--select", "shm-too-small", "--fail-on", "note")
    tight = (*args, "--batch-bytes", "3200K")
    (tmp_path / "pipedoctor.toml").write_text("[shm-too-small]\nheadroom = 1.0\n")

    assert run(*tight).exit_code == 0
    assert run(*tight, "--no-config").exit_code == 1


def test_a_running_process_is_judged(run: Run) -> None:
    sleeper = subprocess.Popen(
        ["sleep", "60"], env={"OMP_NUM_THREADS": "63", "HOME": "/"}
    )
    try:
        args = ("check", "--quick", "--pid", str(sleeper.pid), "--format", "json")
        report = json.loads(run(*args).stdout)
    finally:
        sleeper.kill()
        sleeper.wait()

    assert report["facts"]["known"]["threads"]["asked"] == {"OMP_NUM_THREADS": 63}


def test_a_process_that_is_gone_is_told(run: Run) -> None:
    gone = subprocess.Popen(["true"])
    gone.wait()

    assert complaint(run("check", "--pid", str(gone.pid))) == (
        f"--pid {gone.pid}: no such process is running here (No such file or directory)"
    )


def test_a_thread_of_the_kernel_is_told(run: Run) -> None:
    comm = Path("/proc/2/comm")
    if not comm.exists() or comm.read_text() != "kthreadd\n":
        pytest.skip("no thread of the kernel is to be seen from here")

    assert complaint(run("check", "--pid", "2")) == (
        "--pid 2: has ended already, or is a thread of the kernel"
    )


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_a_process_of_somebody_else_is_told(run: Run) -> None:
    run("check", "--help")  # what is imported later may be out of reach
    os.seteuid(65534)
    try:
        result = run("check", "--no-config", "--pid", str(os.getppid()))
    finally:
        os.seteuid(0)

    assert complaint(result).endswith(
        ": belongs to another user, its limits, mounts and environment cannot be read;"
        " run this as that user or with sudo"
    )


def test_a_reader_that_goes_away_is_no_error(tmp_path: Path, record: str) -> None:
    for command in (["check", "--from", record, "-v"], ["list"], ["explain", "pdr701"]):
        program = subprocess.Popen(
            [sys.executable, "-m", "pipedoctor", *command],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=tmp_path,
        )
        assert program.stdout is not None
        assert program.stderr is not None
        program.stdout.close()
        assert program.stderr.read() == b""
        program.stderr.close()
        assert program.wait(60) == (1 if command[0] == "check" else 0)


def test_a_full_disk_is_told(start: Start, record: str) -> None:
    with Path("/dev/full").open("wb") as full:
        result = start("check", "--from", record, stdout=full)

    assert result.returncode == 2
    assert result.stderr == (
        b"pipedoctor check: stdout: cannot be written: No space left on device\n"
    )


def test_ctrl_c_ends_it_without_a_traceback(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    program = subprocess.Popen(
        [sys.executable, "-m", "pipedoctor", "check", "--from", "-"],
        stdin=reader,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
    )
    os.close(reader)
    wait_channel = Path(f"/proc/{program.pid}/wchan")
    until = time.monotonic() + 30
    while "pipe" not in wait_channel.read_text() and time.monotonic() < until:
        time.sleep(0.05)
    program.send_signal(signal.SIGINT)
    out, err = program.communicate(timeout=30)
    os.close(writer)

    assert program.returncode == 130
    assert out == b""
    assert err.strip() == b""


@pytest.mark.parametrize(
    "env",
    [
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"PYTHONIOENCODING": "ascii"},
        {"PYTHONIOENCODING": "latin-1"},
        {"PYTHONIOENCODING": "utf-16"},
    ],
    ids=["C locale", "ascii", "latin-1", "utf-16"],
)
def test_no_locale_stops_it(start: Start, record: str, env: dict[str, str]) -> None:
    for form in ("text", "json", "markdown"):
        result = start("check", "--from", record, "--format", form, env=env)

        assert result.returncode == 1, result.stderr
        assert result.stderr == b""
        if form == "json":
            json.loads(result.stdout.decode("utf-8"))


def test_a_name_that_is_no_text_is_written_out(tmp_path: Path, start: Start) -> None:
    folder = tmp_path / os.fsdecode(b"d\xff\x1b[31m")
    folder.mkdir()

    result = start("check", "--quick", "--data", str(folder), "--format", "json")

    assert result.returncode in (0, 1), result.stderr
    report = json.loads(result.stdout)
    (place,) = [
        p for p in report["facts"]["known"]["paths"]["entries"] if p["role"] == "data"
    ]
    assert place["path"].endswith("/d\\xff\x1b[31m")


def test_names_of_this_machine_stay_at_home(start: Start, tmp_path: Path) -> None:
    home = tmp_path / "home" / "canary.smith"
    (home / "data").mkdir(parents=True)
    env = {
        "HOME": str(home),
        "USER": "canary.smith",
        "HOSTNAME": "canaryhost",
        "HF_HOME": str(home / ".cache" / "canaryhost"),
        "HF_TOKEN": "hf_canarycanarycanary",
    }
    args = ("check", "--data", str(home / "data"), "--workers", "4")

    for form in (("json",), ("text", "--quick"), ("markdown", "--quick")):
        text = start(*args, "--format", *form, env=env).stdout
        assert b"/home/<user-1>/data" in text or form[0] == "text"
        assert b"canary" not in text
    bare = start(*args, "--quick", "--format", "json", "--no-redact", env=env).stdout
    assert b"canary.smith" in bare


def test_as_root_nothing_is_called_user(run: Run) -> None:
    text = run("check", "--quick", "--format", "json").stdout

    assert "canonical_<user" not in text
    assert "/root" not in os.environ.get("HOME", "") or "<user" not in text
