"""Names of people and servers: which are known, and which aliases they get."""

import pytest

from pipedoctor.facts import (
    Facts,
    Mount,
    PathFact,
    Paths,
    Site,
)
from pipedoctor.privacy.identity import UserIdentity, read_identity
from pipedoctor.privacy.redactor import RedactionLevel, Redactor
from tests.privacy.alice import ALICE, said


def path(text: str, who: UserIdentity = ALICE) -> str:
    """What becomes of a path that some collector looked at."""
    places = Paths(entries=(PathFact(role="data", path=text),))
    found = Redactor(RedactionLevel.ALL, who).redact_facts(Facts(places)).get(Paths)
    assert found is not None
    return found.entries[0].path


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("run as alice", "run as <user-1>", id="in a sentence"),
        pytest.param("/tmp/alice_run-2", "/tmp/<user-1>_run-2", id="part of a name"),
        pytest.param("/data/hq/alice/x", "/data/hq/<user-1>/x", id="an odd home"),
        pytest.param("/data/hq", "/data/hq", id="above that home"),
        pytest.param("Wonder-01", "<host-1>", id="the host, in any case"),
        pytest.param("wonder-01.lab.example.org", "<host-1>", id="the host with its domain"),
        pytest.param("wonder-01.log", "<host-1>.log", id="a file named after it"),
        pytest.param("wonder-012", "wonder-012", id="another host"),
        pytest.param(r"C:\Users\guest\t\Lib", r"C:\Users\<user-2>\t\Lib", id="below a guest"),
        pytest.param("/home/guests/eve/t/lib", "/home/guests/<user-2>/t/lib", id="of the guests"),
        pytest.param("connect [127.0.1.1]:5: no", "connect [127.0.1.1]:5: no", id="a verb"),
    ],
)
def test_known_names_go_wherever_they_stand(text: str, expected: str) -> None:
    assert said(text) == expected


def test_short_names_go_and_shorter_ones_stay_in_sentences() -> None:
    who = UserIdentity(users=("bob", "al"))

    assert said("bob or al at /home/al", who) == "<user-1> or al at /home/<user-2>"


def test_a_folder_with_a_dot_is_nobody() -> None:
    site = Redactor(RedactionLevel.ALL).redact_text("/x/home/.cache/torch is full")

    assert site == "/x/home/.cache/torch is full"


def test_a_home_with_an_ordinary_name() -> None:
    who = UserIdentity(homes=("/data/hq/train",))

    assert path("/data/hq/train", who) == "/data/hq/<user-1>"
    assert path("/data/hq/train/x", who) == "/data/hq/<user-1>/x"
    assert path("/data/hq/training", who) == "/data/hq/training"


def test_servers_are_the_same_in_any_case() -> None:
    mounts = [
        Mount(point="/a", fstype="cifs", source=source) for source in ("//NAS01/x", "//nas01/y")
    ]
    places = Paths(entries=tuple(PathFact(role="data", path="/a", mount=m) for m in mounts))

    known = Redactor(RedactionLevel.ALL).redact_facts(Facts(places)).get(Paths)

    assert known is not None
    assert [e.mount.source for e in known.entries if e.mount] == [
        "//<host-1>/x",
        "//<host-1>/y",
    ]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("nas01.corp:/export/alice", "<host-2>:/export/<user-1>"),
        ("bob@nas01:/x", "<user-2>@<host-2>:/x"),
        ("//nas01/share", "//<host-2>/share"),
        ("10.0.0.7:6789,10.0.0.8:6789:/", "<ip-1>:6789,<ip-2>:6789:/"),
        ("10.0.0.7@tcp:/scratch", "<ip-1>@tcp:/scratch"),
        ("mds1@tcp:/scratch", "<host-2>@tcp:/scratch"),
        ("/dev/nvme0n1p2", "/dev/nvme0n1p2"),
        ("overlay", "overlay"),
        ("server:/x", "server:/x"),
    ],
)
def test_servers_of_mounts(source: str, expected: str) -> None:
    mount = Mount(point="/mnt/x", fstype="nfs4", source=source, options=("username=bob",))
    places = Paths(entries=(PathFact(role="data", path="/mnt/x", mount=mount),))

    known = Redactor(RedactionLevel.ALL, ALICE).redact_facts(Facts(places)).get(Paths)

    assert known is not None
    seen = known.entries[0].mount
    assert seen is not None
    assert (seen.point, seen.fstype, seen.source) == ("/mnt/x", "nfs4", expected)
    assert seen.options == ("username=<user-2>",)


def test_a_server_that_is_named_once_is_known_everywhere() -> None:
    mount = Mount(point="/mnt/x", fstype="nfs", source="nas01:/x")
    places = Paths(entries=(PathFact(role="data", path="/mnt/x", mount=mount),))

    facts = Redactor(RedactionLevel.ALL, ALICE).redact_facts(
        Facts(places, unknown={"gpu": "nas01 does not answer"})
    )

    assert facts.unknown["gpu"] == "<host-2> does not answer"


def test_a_host_that_a_text_names_is_no_part_of_a_variable() -> None:
    text = "VAULT_ADDR=https://vault:8200 and VAULT, not vault"

    assert Redactor(RedactionLevel.ALL).redact_text(text) == (
        "VAULT_ADDR=https://<host-1>:8200 and <host-1>, not <host-1>"
    )


def test_keys_and_requests_are_no_projects() -> None:
    for text in (
        '{"type": "service_account", "project_id": 3}',
        "GET /datasets HTTP/1.1",
        "@app.post('/login')",
    ):
        assert Redactor(RedactionLevel.PUBLIC).redact_text(text) == text


def test_equal_names_get_equal_aliases() -> None:
    redactor = Redactor(RedactionLevel.ALL, UserIdentity())

    assert redactor.redact_text("/home/bob/a") == "/home/<user-1>/a"
    assert redactor.redact_text("/home/eve/a") == "/home/<user-2>/a"
    assert redactor.redact_text("/home/bob/b") == "/home/<user-1>/b"


def test_new_names_beside_old_aliases_get_new_numbers() -> None:
    facts = Facts(unknown={"gpu": "/home/<user-3>/x", "cpu": "/home/bob/x"})

    known = Redactor(RedactionLevel.ALL, UserIdentity()).redact_facts(facts)

    assert known.unknown == {"gpu": "/home/<user-3>/x", "cpu": "/home/<user-4>/x"}


def test_who_am_i() -> None:
    environ = {
        "USER": "alice",
        "LOGNAME": "alice",
        "SUDO_USER": "bob",
        "HOME": "/data/hq/alice/",
        "HOSTNAME": "pod-1",
    }

    assert read_identity(environ, "wonder-01", "al") == UserIdentity(
        users=("alice", "bob", "al"),
        hosts=("wonder-01", "pod-1"),
        homes=("/data/hq/alice",),
    )


@pytest.mark.parametrize("home", ["", "/", "/root", "relative"])
def test_a_home_at_the_top_names_nobody(home: str) -> None:
    assert read_identity({"HOME": home}, "").homes == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            "scp x brunhild@oxcart:/a\noxcart: is brunhild in the group?",
            "scp x <user-1>@<host-1>:/a\n<host-1>: is <user-1> in the group?",
            id="a user and a host of a command",
        ),
        pytest.param(
            "Cloning as vadim_k\nuser=vadim_k",
            "Cloning as <user-1>\nuser=<user-1>",
            id="before its place tells what it is",
        ),
        pytest.param(
            "/home/tasare/dev: no module tasare_wsi",
            "/home/<user-1>/dev: no module <user-1>_wsi",
            id="in the name of a module",
        ),
        pytest.param(
            "https://minio.kelp.internal/x; ping minio.kelp.internal",
            "https://<host-1>/x; ping <host-1>",
            id="a host of an address",
        ),
        pytest.param(
            "password = Kestrel-449\nAUTH PLAIN Kestrel-449",
            "password = <secret>\nAUTH PLAIN <secret>",
            id="a secret",
        ),
        pytest.param(
            "user=batch for each batch",
            "user=<user-1> for each batch",
            id="no word of the trade",
        ),
        pytest.param(
            "user=mochi /usr/lib/python3.11/site-packages/mochi/x.py",
            "user=<user-1> /usr/lib/python3.11/site-packages/mochi/x.py",
            id="no library",
        ),
        pytest.param(
            "password=required, required by the server",
            "password=required, required by the server",
            id="no value that is none",
        ),
    ],
)
def test_a_name_that_is_told_once_is_known_in_the_whole_text(text: str, expected: str) -> None:
    nobody = UserIdentity()

    assert said(text, nobody) == expected
    assert Redactor(RedactionLevel.ALL).redact_text(text) == expected


def test_a_name_that_one_text_of_a_report_tells_is_known_in_all_of_them() -> None:
    facts = Facts(
        Site(system="linux", evidence=("grouper: no route", "sent Kestrel-449")),
        unknown={"gpu": "connect to grouper:22 failed, ssh mirek@grouper", "cpu": "pw=Kestrel-449"},
    )

    done = Redactor(RedactionLevel.ALL).redact_facts(facts)
    site = done.get(Site)

    assert site is not None
    assert site.evidence == ("<host-1>: no route", "sent <secret>")
    assert done.unknown["gpu"] == "connect to <host-1>:22 failed, ssh <user-1>@<host-1>"


def test_names_of_a_report_are_known_in_the_texts_beside_it() -> None:
    redactor = Redactor(RedactionLevel.ALL)

    redactor.redact_text("USER=ottoline")

    assert redactor.redact_text("ottoline has no quota") == "<user-1> has no quota"
