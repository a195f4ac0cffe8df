"""Folders of projects go, those of everybody stay."""

import pytest

from pipedoctor.facts import Facts, PathFact, Paths
from pipedoctor.privacy.aliases import AliasTable
from pipedoctor.privacy.names.paths import redact_paths
from pipedoctor.privacy.names.project_folders import is_project_folder
from pipedoctor.privacy.redactor import RedactionLevel, Redactor


def hidden(text: str) -> str:
    aliases = AliasTable()
    return redact_paths(text, lambda name: aliases.get_alias("path", name))


@pytest.mark.parametrize(
    "text",
    [
        "/",
        "a/b and a / b",
        "/dev/shm",
        "/usr/local/cuda-12.6/lib64/libcudart.so.12",
        "/home/<user-1>/.cache/torch",
        "/home/<user-1>/.local/lib/python3.11/site-packages/secretlib/x.py",
        "/opt/conda/envs/torch/bin/python",
        "/root/.pyenv/versions/3.11.7/lib/python3.11",
        "/mnt/data2/imagenet/train/labels",
        "/work/train.py and /srv/src/requirements.txt",
        "https://example.org/acme/x",
        "//nas/acme",
        "/lib/x86_64-linux-gnu/libc.so.6",
        "~/acme",
        "/work/. and /mnt/data/../main.py",
        "/kaggle/input/plant-pathology-2020/train_images/x1.jpg",
        "/data/imagenet/val/n01443537/ILSVRC2012_val_00000236.JPEG",
        "/root/.cache/huggingface/hub/models--facebook--opt-125m/snapshots",
        "/root/.cache/huggingface/hub/datasets--squad/refs",
        "/root/.cache/torch/hub/checkpoints/resnet50-0676ba61.pth",
        "/tmp/torchinductor_root/ab/cabx2zlmqp4r6v7s3n5t.py",
        "/kubepods/burstable/pod and /system.slice/docker.service",
        r"C:\Python311\Lib\site-packages\acme",
        r"C:\Windows\System32\acme.dll and text\nmore",
        "/mnt/$USER/data and /work/${JOB}/data",
        "/root/.cache/huggingface/stored_tokens and /root/.kaggle/kaggle.json",
        "/opt/conda/envs/py310/bin/python3.10 /opt/conda/envs/torch2.4-cu121/bin/python",
        r"icacls D:\data /grant Users:F /T",
        "host='huggingface.co': retries exceeded with url: /acme-large/resolve/main/config.json",
        "GET /v2/library/python/manifests/3.12-slim",
        "/opt/pytorch/aten/src/ATen/native/cuda/Indexing.cu",
        "/usr/share/miniconda/envs/test/lib/python3.11/site-packages/acme/x.so",
        "/workspace# python x.py; /mnt/c/Users and /mnt/d/datasets$ ls",
        "/workspace/wandb/run-20250103_101112-3k2l1m0p and /work/checkpoint-500",
        "/data/labels/train.cache... and /mnt/nas/places365",
        "/tmp/tmpx0h3r_1l/main.c",
        "docker run -v /mnt/data:/data pytorch/pytorch:2.6.0 python x.py",
        "docker run -w /work nvcr.io/nvidia/pytorch:24.10-py3 python x.py",
        "/home/runner/work/_temp",
        "/work/9b2a0b7f3c4d5e6f708192a3b4c5d6e7/src",
    ],
)
def test_stays(text: str) -> None:
    assert hidden(text) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("/srv/acme/train.py", "/srv/<path-1>/train.py"),
        ("/srv/acme/merger.py", "/srv/<path-1>/<path-2>.py"),
        ("/acme", "/<path-1>"),
        ("/srv/acme# ls and /srv/acme.", "/srv/<path-1># ls and /srv/<path-1>."),
        (
            "host='hub.acme.lan': Max retries exceeded with url: /acme/resolve",
            "host='hub.acme.lan': Max retries exceeded with url: /<path-1>/resolve",
        ),
        (r"dir C:\acme /grantee and /grant/x", r"dir C:\<path-1> /<path-2> and /<path-3>/<path-4>"),
        ("/mnt/acme: Permission denied", "/mnt/<path-1>: Permission denied"),
        ("stat /mnt/acme and /srv/acme", "stat /mnt/<path-1> and /srv/<path-1>"),
        ("/srv/My Firm/x y/train", "/srv/<path-1>/<path-2>/train"),
        ("/home/<user-1>/acme/lib/x.so", "/home/<user-1>/<path-1>/lib/x.so"),
        ("/opt/conda/envs/acme/bin/python", "/opt/conda/envs/<path-1>/bin/python"),
        ("/srv/acme:/usr/lib:/srv/b", "/srv/<path-1>:/usr/lib:/srv/<path-2>"),
        ("nas:/export/acme", "nas:/<path-1>/<path-2>"),
        ("/srv/<path-7>/acme", "/srv/<path-7>/<path-1>"),
        ("x='/srv/acme'", "x='/srv/<path-1>'"),
        ("/data/kaggle/input/acme/x1.jpg", "/data/kaggle/input/<path-1>/<path-2>.jpg"),
        ("/root/.cache/huggingface/hub/models--acme--x", "/root/.cache/huggingface/hub/<path-1>"),
        (r"D:\my data\acme\train.py is", r"D:\<path-1>\<path-2>\train.py is"),
        (r"'D:\\data\\acme\\x.py'", r"'D:\\data\\<path-1>\\<path-2>.py'"),
        (r"\\<host-1>\scans\trial7\001.gz not", r"\\<host-1>\scans\<path-1>\001.gz not"),
        ("/srv/torchinductor_/acme", "/srv/<path-1>/<path-2>"),
    ],
)
def test_goes(text: str, expected: str) -> None:
    assert hidden(text) == expected


def test_a_folder_that_is_hidden_once_is_hidden_in_relative_paths_too() -> None:
    places = Paths(
        entries=(
            PathFact(role="code", path="acme", real="/srv/acme"),
            PathFact(role="code", path="acme/acme.py", named_by="acme/sub/x.py:3"),
        )
    )

    facts = Redactor(RedactionLevel.PUBLIC).redact_facts(
        Facts(places, unknown={"gpu": "acme and acme.x/y in sub/acme/z, not acmes/y"})
    )

    paths = facts.get(Paths)
    assert paths is not None
    first, second = paths.entries
    assert (first.path, first.real) == ("<path-1>", "/srv/<path-1>")
    assert (second.path, second.named_by) == ("<path-1>/acme.py", "<path-1>/sub/x.py:3")
    assert facts.unknown["gpu"] == ("acme and acme.x/y in sub/<path-1>/z, not acmes/y")


@pytest.mark.parametrize(
    "text",
    ["/" + "a" * 20_000 + " ", "/a b" * 5000, "/a " + "b " * 20_000, "/" * 20_000],
)
def test_no_text_is_walked_again_and_again(text: str) -> None:
    assert hidden(text).startswith("/")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("s3://commoncrawl/x and s3://acme-raw/x", "s3://commoncrawl/x and s3://<host-1>/x"),
        ("https://index.acme.org/simple", "https://<host-1>/simple"),
        ("https://acme.io/simple", "https://<host-1>/simple"),
        ("https://packages.org/simple, https://files.packages.org/packages/a", ""),
        ("http://archive.ubuntu.com/ubuntu and https://arxiv.org/abs/1", ""),
        ("https://sqlalche.me/e/20/e3q8, http://yann.lecun.com/exdb/mnist/x.gz", ""),
        (
            "http://host.robots.ox.ac.uk/a http://b.ox.ac.uk",
            "http://host.robots.ox.ac.uk/a http://<host-1>",
        ),
    ],
)
def test_servers_of_everybody_stay(text: str, expected: str) -> None:
    assert Redactor(RedactionLevel.PUBLIC).redact_text(text) == (expected or text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("git@git.acme.lan:team/net.git", "git@<host-1>:<path-1>.git"),
        ("ssh://git@git.acme.lan:2222/team/net.git", "ssh://<user-1>@<host-1>:2222/<path-1>.git"),
        ("https://wandb.ai/someone/acme-seg/runs", "https://wandb.ai/<user-1>/<path-1>/runs"),
        ("system:serviceaccount:acme:someone", "system:serviceaccount:<path-1>:<user-1>"),
        ("https://github.com/acme/net.git", "https://github.com/acme/net.git"),
    ],
)
def test_projects_in_addresses_go_for_the_public(text: str, expected: str) -> None:
    assert Redactor(RedactionLevel.PUBLIC).redact_text(text) == expected


@pytest.mark.parametrize(
    ("name", "project"),
    [
        ("project_465", True),
        ("projX", True),
        ("nlp-lab", True),
        ("alice", False),
        ("alice-data", False),
        ("a7", False),
        ("465", False),
    ],
)
def test_a_folder_that_is_named_after_a_project(name: str, project: bool) -> None:
    assert is_project_folder(name, users_known=False) is project
