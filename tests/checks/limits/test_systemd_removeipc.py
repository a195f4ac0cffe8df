"""PDR706 notes a logout that would delete shared memory; a risk only over SSH."""

import json
from typing import Any

import pytest
from msgspec.structs import replace
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Confidence, Severity
from pipedoctor.facts import Facts, Loader, Logind
from pipedoctor_checks.limits.systemd_removeipc import systemd_removeipc

SSH = Logind(
    running=True,
    remove_ipc=True,
    remove_ipc_source="default",
    uid=1000,
    linger=False,
    in_session=True,
    remote=True,
)
JOB = Loader(num_workers=4)


@pytest.mark.parametrize(
    "logind",
    [
        pytest.param(replace(SSH, running=False), id="no logind"),
        pytest.param(replace(SSH, remove_ipc=False), id="switched off"),
        pytest.param(replace(SSH, system_user=True), id="system user"),
        pytest.param(replace(SSH, linger=True), id="lingers"),
        pytest.param(replace(SSH, in_session=False), id="not in a session"),
        pytest.param(replace(SSH, in_session=None), id="session not known"),
    ],
)
def test_silent(logind: Logind) -> None:
    assert systemd_removeipc(logind, JOB) == []


@pytest.mark.parametrize(
    ("logind", "loader", "severity"),
    [
        pytest.param(SSH, JOB, Severity.RISKS, id="a job over SSH"),
        pytest.param(SSH, Loader(ranks=2), Severity.RISKS, id="workers not known"),
        pytest.param(SSH, None, Severity.NOTE, id="no job known"),
        pytest.param(SSH, Loader(num_workers=0), Severity.NOTE, id="no workers"),
        pytest.param(replace(SSH, remote=False), JOB, Severity.NOTE, id="at the desk"),
        pytest.param(replace(SSH, remote=None), JOB, Severity.NOTE, id="from where?"),
        pytest.param(replace(SSH, linger=None), JOB, Severity.RISKS, id="lingers?"),
    ],
)
def test_speaks(logind: Logind, loader: Loader | None, severity: Severity) -> None:
    (finding,) = systemd_removeipc(logind, loader)

    assert finding.severity is severity
    assert finding.confidence is Confidence.POSSIBLE
    assert finding.summary == (
        "the end of this session deletes the user's files in /dev/shm (RemoveIPC=yes)"
    )


def test_evidence_and_remedies() -> None:
    (finding,) = systemd_removeipc(SSH, JOB)
    linger, keep = finding.remedies

    assert finding.evidence == {
        "logind.remove_ipc": True,
        "logind.remove_ipc_source": "default",
        "logind.uid": 1000,
        "logind.linger": False,
        "logind.remote": True,
    }
    assert linger.shell == "sudo loginctl enable-linger 1000"
    assert linger.undo == ("loginctl", "disable-linger", "1000")
    assert linger.verify == ("loginctl", "show-user", "1000", "--property=Linger")
    assert keep.snippet == (
        "# /etc/systemd/logind.conf.d/90-pipedoctor.conf\n[Login]\nRemoveIPC=no\n"
    )
    assert keep.puts[0].content == "[Login]\nRemoveIPC=no\n"
    assert all(remedy.root and remedy.advice for remedy in finding.remedies)


@pytest.mark.parametrize("logind", [replace(SSH, remove_ipc=None), replace(SSH, uid=None)])
def test_unknown_is_not_health(logind: Logind, snapshot: SnapshotAssertion) -> None:
    assert systemd_removeipc.run(Facts(logind)).skipped == snapshot


def test_judges_another_machine_from_its_record() -> None:
    record: dict[str, Any] = json.loads(json.dumps(Facts(SSH, JOB).to_record()))

    verdict = systemd_removeipc.run(Facts.from_record(record))

    assert list(verdict.findings) == systemd_removeipc(SSH, JOB)
