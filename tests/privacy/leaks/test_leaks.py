"""No secret and no name leaves in a report, whatever tells it and whoever reads it."""

import io
import zipfile
from collections.abc import Callable, Iterator
from typing import Any, cast

import pytest

from pipedoctor.engine.catalogue import get_catalogue
from pipedoctor.facts import Facts
from pipedoctor.pipeline import CheckPolicy, judge_facts
from pipedoctor.privacy.identity import UserIdentity
from pipedoctor.privacy.redactor import RedactionLevel, Redactor
from pipedoctor.report import bundle, github, html, junit, markdown, sarif, text, ticket
from pipedoctor.report import json as plain_json
from pipedoctor.report.model import Report

Table = dict[str, list[tuple[str, str]]]
Plant = Callable[[int], tuple[dict[str, Any], set[str]]]


def said(told: str, who: UserIdentity, level: RedactionLevel = RedactionLevel.PUBLIC) -> str:
    facts = Facts(unknown={"gpu": told})
    return Redactor(level, who).redact_facts(facts).unknown["gpu"]


def test_there_are_two_hundred_of_twenty_kinds(table: Table) -> None:
    assert len(table) == 20
    assert sum(map(len, table.values())) == 200
    assert all(secret in told for row in table.values() for told, secret in row)


def test_every_one_of_them_goes(table: Table, who: UserIdentity) -> None:
    for kind, row in table.items():
        for told, secret in row:
            assert secret not in said(told, who), kind


def test_what_is_redacted_stays_as_it_is(table: Table, who: UserIdentity) -> None:
    for row in table.values():
        for told, _ in row:
            once = said(told, who)
            assert said(once, who) == once


@pytest.mark.parametrize(
    "told",
    [
        "torch 2.13.0+cpu",
        "driver 550.54.15",
        "/usr/lib/x86_64-linux-gnu/libcudnn.so.9.1.0",
        "nvidia-cublas-cu12==12.4.5.8",
        "cp311-cp311-manylinux_2_28_x86_64",
        "py3.11_cuda12.1_cudnn8.9.2_0",
        "GLIBCXX_3.4.32 and sm_90",
        "NVIDIA A100-SXM4-80GB",
        "Intel(R) Xeon(R) Gold 6342",
        "/dev/nvme0n1p2 and /dev/mapper/ubuntu--vg-root",
        "/proc/sys/kernel/shmmax: limit 1048576",
        "expandable_segments:True,max_split_size_mb:128",
        "0-15,32-47",
        "5.15.0-91-generic",
        "https://download.pytorch.org/whl/cu126",
        "OMP_NUM_THREADS=8",
        "tokenizers 0.20, passlib 1.7, keyring==25.0, secretstorage 3.3",
        "libgomp-a34b3233.so.1, libopenblas64_p-r0-0cf96a72.3.23.dev.so",
        "libGL.so.1: cannot open shared object file: No such file or directory",
        "[Errno 28] No space left on device: '/dev/shm/torch_4711_2'",
        "num_workers=8, pin_memory=True, prefetch_factor=2",
        "Missing key(s) in state_dict; unexpected key: conv1.weight",
        "max_tokens: 512",
        "serialization_2.0 and serial execution",
        "foo@GLIBC_2.2.5, torch@2.1.0 and malloc@libc.so",
        "sha256:8f3ac1b2d3e4f5061728394a5b6c7d8e9f00112233445566778899aabbccddee",
        "hostname=localhost, master_addr=127.0.0.1",
        "/opt/conda/envs/torch/lib/python3.11/site-packages/torch/_C.so",
        "/mnt/imagenet/train, /data/coco2017/val, /tmp and /scratch",
        "/home/root/.cache/huggingface/hub",
    ],
)
def test_versions_libraries_and_limits_stay(told: str, who: UserIdentity) -> None:
    assert said(told, who) == told


@pytest.mark.parametrize(
    "number",
    [pytest.param(n, marks=() if n < 5 else pytest.mark.extended) for n in range(20)],
)
def test_no_format_tells_what_any_collector_read(
    number: int, planted: Plant, who: UserIdentity
) -> None:
    record, secrets = planted(number * 7)
    report = examined(record, who)

    for name, file in formats(report):
        whole = unescaped(file)
        assert not [secret for secret in secrets if secret in whole], name


def test_the_same_facts_tell_it_where_that_is_asked_for(planted: Plant) -> None:
    record, secrets = planted(0)
    facts = Facts.from_record(record)
    standards = CheckPolicy(redactor=Redactor(RedactionLevel.NOTHING))

    report = judge_facts(get_catalogue(), facts, standards, began=0)

    whole = unescaped(plain_json.render(report))
    assert len([secret for secret in secrets if secret in whole]) > 30


def test_keys_are_never_touched(planted: Plant, who: UserIdentity) -> None:
    record, _ = planted(3)

    done = Redactor(RedactionLevel.PUBLIC, who).redact_facts(Facts.from_record(record)).to_record()

    assert keys(done) == keys(Facts.from_record(record).to_record())


def examined(record: dict[str, Any], who: UserIdentity) -> Report:
    facts = Facts.from_record(record)
    standards = CheckPolicy(redactor=Redactor(RedactionLevel.PUBLIC, who))
    return judge_facts(get_catalogue(), facts, standards, began=0)


def formats(report: Report) -> Iterator[tuple[str, bytes]]:
    checks = get_catalogue().checks
    json_, page = plain_json.render(report), html.render(report).encode()
    note = ticket.render(report, "").encode()
    yield "json", json_
    yield "html", page
    yield "ticket", note
    yield "markdown", markdown.render(report).encode()
    yield "text", text.render(report, width=100, detail="full").encode()
    yield "junit", junit.render(report, checks, "breaks")
    yield "sarif", sarif.render(report, checks, 1)
    yield "github", github.render(report)
    packed = bundle.build_bundle(report, {"report.json": json_, "x.html": page}, redacted=True)
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        for name in archive.namelist():
            yield f"zip: {name}", archive.read(name)


def unescaped(file: bytes) -> str:
    """What a reader sees: no escapes of JSON, HTML or Markdown between the letters."""
    whole = file.decode()
    for old, new in (("\\\\", "\\"), ("<!-- -->", ""), ("&colon;", ":"), ("\\_", "_")):
        whole = whole.replace(old, new)
    return whole


def keys(value: Any) -> Any:
    if isinstance(value, dict):
        items = cast("dict[str, Any]", value).items()
        return {key: keys(item) for key, item in items}
    if isinstance(value, (list, tuple)):
        return [keys(item) for item in cast("list[Any]", value)]
    return None
