"""PDR938, from a log: an LMDB environment is shared with workers."""

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Severity
from pipedoctor.facts import Facts
from pipedoctor_checks.crashes.lmdb_env_shared_across_fork import lmdb_env_shared_across_fork
from tests.checks.crashes.diagnosed_log import diagnose_text
from tests.checks.remedies_by_place import PLACES, describe_remedies, list_commands

LOG = diagnose_text(
    '  File "/me/words.py", line 15, in __getitem__\n'
    "lmdb.BadRslotError: mdb_txn_begin: MDB_BAD_RSLOT: Invalid reuse of reader "
    "locktable slot"
)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            ("  File \"/me/words.py\", line 15, in __getitem__\nKeyError: 'word-71'"),
            id="a key that is not there",
        ),
        pytest.param(
            "lmdb.Error: /data/words: No such file or directory",
            id="a folder that is not there",
        ),
    ],
)
def test_silent(text: str) -> None:
    assert lmdb_env_shared_across_fork(diagnose_text(text), None) == []


def test_speaks() -> None:
    (finding,) = lmdb_env_shared_across_fork(LOG, None)

    assert finding.severity is Severity.BREAKS
    assert finding.summary == "An LMDB environment opened by the parent is used in workers"
    assert finding.evidence == {"log.line": 2}


@pytest.mark.parametrize("place", PLACES)
def test_remedies(place: str, snapshot: SnapshotAssertion) -> None:
    (finding,) = lmdb_env_shared_across_fork(LOG, PLACES[place])

    assert list_commands(finding) == snapshot


def test_wording_of_remedies(snapshot: SnapshotAssertion) -> None:
    (finding,) = lmdb_env_shared_across_fork(LOG, None)

    assert describe_remedies(finding) == snapshot


def test_unknown_is_not_healthy() -> None:
    verdict = lmdb_env_shared_across_fork.run(Facts(unknown={"log": "no log was given"}))

    assert verdict.skipped == "log: no log was given"
