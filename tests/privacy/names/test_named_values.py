"""Users, hosts and groups beside keys: how much of a text is the name."""

import pytest

from pipedoctor.privacy.identity import UserIdentity
from pipedoctor.privacy.names.named_cells import find_named_cells
from pipedoctor.privacy.names.named_values import find_named_values
from pipedoctor.privacy.redactor import RedactionLevel, Redactor


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Submitted-By : Hanneke Vos", ["user Hanneke Vos"]),
        ('{"requestedBy": "lindqvist", "node": "calypso"}', ["user lindqvist", "host calypso"]),
        ("(('user', 'mateusz'), ('host', 'sardine'))", ["user mateusz", "host sardine"]),
        ("  Node     manta7", ["host manta7"]),
        ("see Node     manta7 here", []),
        ("x --user-name esteban -y", ["user esteban"]),
        ("assignee: @wojtek_m", ["user wojtek_m"]),
        ("/user:LAB\\nadezda", ["host LAB\\", "user nadezda"]),
        ("--nodelist quartz[01-04]", ["host quartz[01-04]"]),
        ("bucket: kelp-raw-scans", ["group kelp-raw-scans"]),
        ("project = kelp/otolith", ["group kelp/otolith"]),
        ("bystander: hugo, standby=hugo", []),
        ("host: connection refused by peer", []),
        ("user: str, host=args.host, node: node.name", []),
        ("author: The Kelp Team", []),
        ("server: nginx/1.25", []),
        ("owner = get_owner(x)", []),
        ("machine: x86_64", []),
        ("project: train.py", []),
        ("user=saoirse,pass=x,host=brine", ["user saoirse", "host brine"]),
        ("project_name=icefloe tenant_id=fjord-prod", ["group icefloe", "group fjord-prod"]),
        ("user_id='dkowal' group_id=None", ["user dkowal"]),
        ("user: LABNET\\nadia denied", ["host LABNET\\", "user nadia"]),
        ("UserId=emma(50112) GroupId=vis(5)", ["user emma", "user vis"]),
        ("user=train login=none", ["user train"]),
        ("sorted_by: score, trained_by: jorunn", ["user jorunn"]),
        ("nodes:\n- kaon\n- pion\nx: 1", ["host kaon", "host pion"]),
        ("users = ['fionn', 'casilda', 3]", ["user fionn", "user casilda"]),
    ],
)
def test_names_beside_keys(text: str, names: list[str]) -> None:
    found = find_named_values(text)

    assert [f"{one.kind} {text[one.begin : one.end]}" for one in found] == names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("PID USER CPU\n44 casimir 99.0", ["casimir"]),
        ("|User|Host|\n|--|--|\n|ragnhild||\n||ling03|", ["ragnhild", "ling03"]),
        ("hostname,user\nwels1,ottoline", ["wels1", "ottoline"]),
        ("Owner\tQueue\nbarnaby\tlong\n\nafter\tthe table", ["barnaby"]),
        ("USER  ID\nanne  1\nHOST  ID\nray4  1", ["anne", "ray4"]),
        ("Name  Type\nanne  1", []),
        ("NODE  CPUS\n0     8", []),
        ("the host is up\nanne is too", []),
        ('squeue -h -o "%i %u"\n12 casimir', ["casimir"]),
        ("sacct -P -o JobID,User%20,NodeList\n7|ragnhild|ling03", ["ragnhild", "ling03"]),
        ('squeue -o "%i %j"\n12 casimir', []),
    ],
)
def test_names_in_columns(text: str, names: list[str]) -> None:
    assert [text[one.begin : one.end] for one in find_named_cells(text)] == names


def test_only_attachments_hide_projects() -> None:
    text = "project = kelp/otolith"

    assert Redactor(RedactionLevel.ALL, UserIdentity()).redact_text(text) == text
    assert Redactor(RedactionLevel.PUBLIC, UserIdentity()).redact_text(text) == "project = <path-1>"
