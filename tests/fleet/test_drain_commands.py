"""Commands for the nodes that stand out: of Slurm, kubectl and Ansible, safe in every shell."""

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml
from msgspec.structs import replace

from pipedoctor.fleet.hostlist import expand_hostlist
from pipedoctor.fleet.output import (
    ansible,
    kubectl,
    slurm,
    text,
)
from tests.fleet.fleet_reports import HOSTILE, SAID, WHOLE, finding, fleet, outlier, written


@pytest.mark.parametrize("name", ["slurm", "kubectl"])
@pytest.mark.parametrize(
    "node",
    [
        HOSTILE,
        "ALL",
        "all" * 99,
        "h[1-1000]",
        "h1,h2",
        "-f",
        "a b",
        "a\u2028b",
        "../x",
        "a=b",
        "",
    ],
)
def test_what_is_no_single_node_is_never_a_command(name: str, node: str) -> None:
    lines = written(name, fleet(outlier(node))).splitlines()

    assert len(lines) == 1
    assert lines[0].startswith("# left out, no name of one node to")


@pytest.mark.parametrize("shell", ["sh", "bash", "zsh"])
@pytest.mark.parametrize("name", ["slurm", "kubectl"])
def test_no_shell_runs_what_a_report_says(tmp_path: Path, name: str, shell: str) -> None:
    """As at a prompt, where zsh knows no comments."""
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    for tool in ("scontrol", "kubectl"):
        (tmp_path / tool).write_text('#!/bin/sh\nfor word; do echo "$word"; done >>called\n')
        (tmp_path / tool).chmod(0o755)
    names = ("h1", "$(>made)", "`>made`", "a;>made", "#c", "!x", "~", "a'b")
    reason = "1.0; touch made $(touch made) `touch made` ' | touch made"
    pasted = written(name, fleet(*(outlier(one, summary=f"{one}: {reason}") for one in names)))
    environ = {"PATH": f"{tmp_path}:/usr/bin:/bin", "HOME": str(tmp_path)}

    subprocess.run([shell], input=pasted.encode(), cwd=tmp_path, env=environ, check=False)

    called = (tmp_path / "called").read_text().split("\n")
    assert not (tmp_path / "made").exists()
    before = "NodeName=" if name == "slurm" else ""
    assert [one for one in names if f"{before}{one}" not in called] == ["a'b"]


def test_slurm_drains_with_a_reason() -> None:
    lines = slurm.render(WHOLE).splitlines()

    assert shlex.split(lines[0]) == [
        "scontrol",
        "update",
        "NodeName=h1",
        "State=DRAIN",
        f"Reason=pipedoctor: {SAID}; Too small",
    ]
    assert [line.split()[2] for line in lines[:2]] == ["NodeName=h1", "NodeName=h2"]
    assert not any("h3" in line for line in lines), "a note drains nobody"


def test_a_reason_goes_through_a_shell_as_one_word() -> None:
    report = fleet(outlier("h1", summary=f"h1: {HOSTILE}"))

    (line,) = slurm.render(report).splitlines()
    echoed = subprocess.run(["sh", "-c", f"printf '%s\\n' {line}"], capture_output=True, check=True)

    assert len(echoed.stdout.splitlines()) == 5
    assert b"$" not in echoed.stdout
    assert b"`" not in echoed.stdout


def test_kubectl_lines_are_valid_shell() -> None:
    report = fleet(outlier("h1", summary=f"h1: {HOSTILE}"))

    (line,) = kubectl.render(report).splitlines()

    assert shlex.split(line, comments=True) == ["kubectl", "cordon", "h1"]


def test_a_finding_that_most_have_drains_nobody() -> None:
    few = replace(WHOLE, outliers=(), findings=(finding("h1"),))
    most = replace(few, findings=(finding("h1", "h2"),))

    assert "NodeName=h1" in slurm.render(few)
    assert slurm.render(most) == "# no node to drain\n"


def test_ansible_gets_a_group_for_each_remedy() -> None:
    named = fleet(outlier("h1", finding="shm-too-small"), outlier("h2", property="x.y"))

    assert ansible.render(named) == "[shm_too_small]\nh1\n\n[x_y]\nh2\n"
    assert ansible.render(fleet()) == "# no node to drain\n"
    assert "[" not in ansible.render(fleet(outlier("h[1:9]"))).replace("h[", "")


def test_every_node_to_drain_is_named_in_full() -> None:
    """However many, and however long their names are."""
    names = [f"{at}-{'x' * 60}-gpu-node.cluster.example" for at in range(25)]

    page = text.render(fleet(*map(outlier, names)), width=80, color=False)

    first_screen = page.partition("25 outliers")[0]
    assert "…" not in first_screen
    joined = re.sub(r"\s", "", first_screen)
    assert all(name in joined for name in names)


def test_a_list_of_hosts_is_broken_at_its_commas() -> None:
    names = [f"node-{number:04}" for number in range(0, 200, 3)]

    page = text.render(fleet(*map(outlier, names)), width=80, color=False)

    (row,) = re.findall(r"shm\.size  (.*?\])", page, re.DOTALL)
    lines = [line.strip() for line in row.splitlines()]
    assert len(lines) > 2
    assert all(line.endswith((",", "]")) for line in lines)
    assert expand_hostlist("".join(lines)) == names


def test_kubernetes_manifest_readers_take_our_lines() -> None:
    """A comment behind a line of YAML is a comment there as well."""
    assert yaml.safe_load(kubectl.render(fleet())) is None
