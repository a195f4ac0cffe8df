"""Every format names the configuration that counted."""

import json
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.hostile.conftest import Doctor

QUICK = ("check", "--quick", "--select", "shm-too-small", "--fail-on", "never")


# --- what the report says of it


def read_text(output: str) -> str:
    return " ".join(output.split())


def read_sarif(output: str) -> str:
    (run,) = json.loads(output)["runs"]
    notes = run["invocations"][0]["toolConfigurationNotifications"]
    return " ".join(note["message"]["text"] for note in notes)


def read_junit(output: str) -> str:
    pairs = ET.fromstring(output).iter("property")
    return " ".join(p.get("value", "") for p in pairs if p.get("name") == "configuration")


def read_markdown(output: str) -> str:
    return read_text(output).replace("\\", "")


@pytest.mark.parametrize(
    ("form", "read"),
    [
        ("text", read_text),
        ("markdown", read_markdown),
        ("html", read_text),
        ("sarif", read_sarif),
        ("junit", read_junit),
        ("github", read_text),
    ],
)
def test_every_format_names_the_configuration(
    doctor: Doctor, project: Path, form: str, read: Callable[[str], str]
) -> None:
    (project / "pipedoctor.toml").write_text(
        'python = "./x"\nworkers = 3\nignore = ["slow-storage"]\n[shm-too-small]\nheadroom = 1.0\n'
    )

    text = read(doctor(*QUICK, "--format", form).stdout)

    assert "silences or weighs findings" in text
    assert "slow-storage" in text
    assert "shm-too-small.headroom = 1.0" in text
    assert "workers = 3" in text
    assert "not obeyed: python (it names a program to run)" in text


def test_the_json_report_has_it_as_data(doctor: Doctor, project: Path, tmp_path: Path) -> None:
    (project / "pipedoctor.toml").write_text('env = "x"\nworkers = 3\nselect = ["slow-storage"]\n')
    own = tmp_path / "config/pipedoctor/config.toml"
    own.parent.mkdir(parents=True)
    own.write_text('workers = 5\nno-redact = true\n[[accept]]\nname="disk-full"\nreason="x"\n')
    environ = {"XDG_CONFIG_HOME": str(tmp_path / "config")}

    report = json.loads(doctor(*QUICK, "--format", "json", **environ).stdout)

    assert report["configuration"] == [
        {
            "path": str(own),
            "origin": "user",
            "obeyed": {"no-redact": "true", "accept": '["disk-full"]'},
            "silences": ["no-redact", "accept"],
            "not_obeyed": {},
        },
        {
            "path": str(project / "pipedoctor.toml"),
            "origin": "project",
            "obeyed": {"workers": "3"},
            "silences": [],
            "not_obeyed": {"env": "it names a program to run"},
        },
    ]


def test_its_own_text_is_harmless(doctor: Doctor, project: Path) -> None:
    (project / "pipedoctor.toml").write_text('python = "x"\nignore = ["\\u001b[2J\\u202e<b>"]\n')

    done = doctor("check", "--quick")

    assert done.returncode == 2
    assert "\x1b" not in done.stderr
    assert "\u202e" not in done.stderr
