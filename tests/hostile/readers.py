"""
Every reader of what others write, as a function of bytes that must not fail.

`tools/fuzz_readers.py` feeds them what coverage leads to, ``test_seeds.py`` what that has
found before. A reader may refuse its input by its own error, and by no other.
"""

import contextlib
import importlib
import io
import json
import struct
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from pipedoctor.cli.request.check_options import CommandLineOptions
from pipedoctor.cli.request.config import merge_config
from pipedoctor.cli.request.config_files import ConfigError, ConfigFile, parse_table
from pipedoctor.collect.environment import conda, environment_records
from pipedoctor.collect.environment.metadata import MetadataFolder
from pipedoctor.collect.environment.ownership import find_shared_files
from pipedoctor.collect.environment.prefix import EnvironmentChoice
from pipedoctor.collect.machine import Machine
from pipedoctor.collect.shared_libraries import elf, ldcache
from pipedoctor.engine.catalogue import get_catalogue
from pipedoctor.explanation import json as as_json
from pipedoctor.explanation import markdown, text
from pipedoctor.explanation.explain import explain_log
from pipedoctor.explanation.signature_catalogue import load_signatures
from pipedoctor.facts import Facts, MalformedRecordError, UnreadableError
from pipedoctor.fix.engine import plan_text
from pipedoctor.fix.engine.undo import build_reversal
from pipedoctor.fix.files.files import ReplacedFile
from pipedoctor.fix.journal import seal
from pipedoctor.fix.journal.entry import JournalEntry
from pipedoctor.fix.journal.journal import Journal, open_journal
from pipedoctor.fix.plan.plan import CommandStep, RemoveStep, StepFailedError
from pipedoctor.log.read import read_log
from pipedoctor.privacy.identity import UserIdentity
from pipedoctor.privacy.redactor import RedactionLevel, Redactor
from pipedoctor.report.bundle import unpack_bundle
from pipedoctor.report.json import read_report
from pipedoctor.runtime.state_dir import open_private_folder
from pipedoctor.source.discover.files import SourceFile
from pipedoctor.source.read_project import read_project_facts
from pipedoctor.textsafe import encode_indented_json
from tests.hostile import archives

importlib.import_module("pipedoctor.text")  # imported late otherwise, and not followed

ROOT = Path(__file__).parents[2]
SEEDS = Path(__file__).parent / "seeds"
MAX_SEED_BYTES = 8192
NO_FACTS = Facts()


class Reader(NamedTuple):
    """What reads bytes, and inputs to begin with."""

    read: Callable[[bytes], object]
    list_seeds: Callable[[], Iterator[bytes]]


@cache
def make_folder() -> Path:
    """A folder in memory where there is one: for readers that take a path."""
    shm = Path("/dev/shm")
    return Path(tempfile.mkdtemp(dir=shm if shm.is_dir() else None))


def put(name: str, data: bytes) -> Path:
    """Put the input into a file of that folder."""
    path = make_folder() / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def read_any_log(data: bytes) -> None:
    """Everything that `explain` does with a log, in every format."""
    signatures = cache(load_signatures)()
    try:
        log = read_log(io.BytesIO(data), signatures)
    except (OSError, EOFError):  # a packed log that is damaged
        return
    explanation = explain_log(log, signatures, facts=lambda _: NO_FACTS)
    json.loads(as_json.render(explanation))
    shown = text.render(explanation, width=60)
    assert not any(ord(sign) < ord(" ") and sign != "\n" for sign in shown)
    markdown.render(explanation)


def read_any_report(data: bytes) -> None:
    """A report, a page with one in it, or a pasted text; its facts can be written again."""
    with contextlib.suppress(MalformedRecordError):
        facts, _ = read_report(data)
        json.dumps(facts.to_record())


def read_any_archive(data: bytes) -> None:
    """A .zip: what comes out is bounded."""
    with contextlib.suppress(MalformedRecordError):
        assert sum(map(len, unpack_bundle(data).values())) <= 32 << 20


def read_any_record(data: bytes) -> None:
    """The first byte chooses the kind of file that records an environment."""
    kinds = environment_records.COMPARABLE_KINDS
    kind, data = kinds[data[0] % len(kinds) if data else 0], data[1:]
    with contextlib.suppress(UnreadableError):
        environment_records.parse_record(kind, data)
    environment_records.count_packages(kind, data.decode("utf-8", errors="replace"))


def read_any_conda_record(data: bytes) -> None:
    """A record of conda-meta, in an environment that conda made."""
    put("conda/conda-meta/history", b"")
    put("conda/conda-meta/pinned", data)
    put("conda/conda-meta/torch-2.5.0-py311_0.json", data)
    put("conda/bin/python", b"")
    choice = EnvironmentChoice(env=str(make_folder() / "conda"))
    conda.conda(Machine(environ={}), choice, lambda _: None)


def read_any_binary(data: bytes) -> None:
    """A program or library."""
    path = put("library.so", data)
    elf.read_binary(path)
    elf.read_symbol_versions(path)


def read_any_linker_cache(data: bytes) -> None:
    """/etc/ld.so.cache."""
    ldcache.parse_cache(data, ["x86-64-v3", "x86-64-v2"])


def read_any_installed_list(data: bytes) -> None:
    """RECORD of two distributions, so that they claim the same files."""
    folders = [
        MetadataFolder(str(make_folder()), f"{name}-1.dist-info", name, "1") for name in "ab"
    ]
    for folder in folders:
        put(f"{folder.entry}/RECORD", data)
    list(find_shared_files(folders))


def read_any_code(data: bytes) -> None:
    """A file of training code, followed as a project of its own."""
    now = time.monotonic()
    file = SourceFile("train.py", b"import torch\n" + data)
    read_project_facts([file], str, deadline=now + 60, seconds=60)


def read_any_configuration(data: bytes) -> None:
    """A configuration file, down to thresholds and patterns."""
    with contextlib.suppress(ConfigError, UnreadableError):
        table, _ = parse_table(Path("pipedoctor.toml"), data, "")
        file = ConfigFile(path="/x/pipedoctor.toml", table=table)
        merge_config(file, CommandLineOptions(), get_catalogue)


def read_any_journal(data: bytes) -> None:
    """An entry of the journal, sealed where it has a place for it: listed, its undo planned."""
    key = bytes(seal.KEY_BYTES)
    file = put("state/journal/2026-01-01-1/entry.json", seal.seal_text(data, key))
    put("state/journal/key", key).chmod(0o600)
    for parent in list(file.parents)[:3]:
        parent.chmod(0o700)
    with open_private_folder(file.parents[2]) as home, open_journal(home).folder as folder:
        entries = Journal(folder).read_entries()
    assert "".join(plan_text.render_history(entries, busy=False))
    for entry in entries:
        json.loads(encode_indented_json(entry))
        if isinstance(entry, JournalEntry):
            assert all(map(str.isprintable, plan_text.render_undo(entry)))
            for step in entry.steps:
                if isinstance(step, CommandStep):
                    with contextlib.suppress(StepFailedError):
                        build_reversal(step, is_genuine=False)


def read_any_text_to_redact(data: bytes) -> None:
    """Whatever stands in a report or a log, redacted; what is redacted stays so."""
    facts = Facts(unknown={"log": data.decode("utf-8", errors="replace")})
    redactor = Redactor(RedactionLevel.PUBLIC, UserIdentity())
    redactor.redact_facts(facts)


def list_entries() -> Iterator[bytes]:
    """One of a command, one of files."""
    words = ("id", "state", "subject", "before", "after", "lasts", "when", "who", "version")
    plain: dict[str, Any] = dict.fromkeys(words, "x")
    plain |= {"schema": "pipedoctor.journal/1", "seal": seal.BLANK_SEAL, "uid": 0, "pid": 1}
    plain |= {"id": "2026-01-01-1", "state": "proved", "when": "2026-01-01T00:00:00Z"}
    undo = ("mount", "-o", "remount,size=1", "/dev/shm")
    command = CommandStep(argv=undo, undo=undo)
    old, new = "0" * 64, "1" * 64
    file = ReplacedFile(path="/etc/fstab", existed=True, digest_before=old, digest_after=new)
    for step in (command, file, RemoveStep(paths=("/dev/shm/x",))):
        yield json.dumps({**plain, "steps": [msgspec.to_builtins(step)]}).encode()


def list_secrets() -> Iterator[bytes]:
    """Lines of the corpus."""
    yield from (ROOT / "tests/privacy/corpus/secrets.txt").read_bytes().split(b"\n\n")


def list_files(pattern: str) -> Iterator[bytes]:
    """The beginnings of files of the repository."""
    for path in sorted(ROOT.glob(pattern)):
        yield path.read_bytes()[:MAX_SEED_BYTES]


def list_logs() -> Iterator[bytes]:
    """One a case of the table of variants."""
    yield from (ROOT / "tests/explanation/variants.txt").read_bytes().split(b"=== ")


def list_records() -> Iterator[bytes]:
    """A few lines of each kind."""
    samples: Mapping[str, str] = {
        "requirements": "torch==2.5.0 ; python_version < '3.12'\nnumpy>=1,<3 \\\n  --hash=a\n",
        "environment": "dependencies:\n- python=3.11\n- pip:\n  - torch==2.5.0\n",
    }
    for number, kind in enumerate(environment_records.COMPARABLE_KINDS):
        sample = samples.get(kind, '[[package]]\nname = "torch"\nversion = "2.5.0"\n')
        yield bytes([number]) + sample.encode()
        yield bytes([number]) + b'{"default": {"torch": {"version": "==2.5.0"}}}'


def list_archives() -> Iterator[bytes]:
    """Those of the tests."""
    yield archives.build_zip(b"{}", method=0, size=2)
    yield archives.build_zip(archives.deflate(b"{}"), method=8, size=2)
    yield archives.store_many(3)


def list_binaries() -> Iterator[bytes]:
    """A small library of the system, or what begins like one."""
    for path in [*Path("/usr/lib/x86_64-linux-gnu").glob("libnss_*.so*"), Path("/bin/true")]:
        if path.is_file() and path.stat().st_size < 64 << 10:
            yield path.read_bytes()
    yield b"\x7fELF\2\1\1" + bytes(121)


def list_linker_caches() -> Iterator[bytes]:
    """A cache of one library."""
    names = b"libc.so.6\0/lib/libc.so.6\0"
    entry = struct.pack("=iIIIQ", 3, 72, 82, 0, 0)
    yield struct.pack("=20sII4xI12x", b"glibc-ld.so.cache1.1", 1, len(names), 0) + entry + names


def list_conda_records() -> Iterator[bytes]:
    """One that names its anchor."""
    anchor = "lib/python3.11/site-packages/torch-2.5.0.dist-info/RECORD"
    record: dict[str, Any] = {"channel": "https://conda.anaconda.org/pytorch/linux-64"}
    record["files"] = [anchor]
    record["paths_data"] = {"paths": [{"_path": anchor, "sha256_in_prefix": "a" * 64}]}
    yield json.dumps(record).encode()


def list_installed_lists() -> Iterator[bytes]:
    """Rows with and without quotes."""
    yield b'torch/__init__.py,sha256=abc,12\n"a,b/c.py",,\ntorch/x.py,,\n../bin/x,,\nd.py,,\n'


def list_configurations() -> Iterator[bytes]:
    """Every kind of key."""
    yield (
        b'workers = 2\nbatch-bytes = "64M"\nignore = ["PDR7"]\n[shm-too-small]\nheadroom = 1.5\n'
        b'[per-file-ignores]\n"tests/*" = ["PDR2"]\n[[accept]]\nname = "disk-full"\nreason = "x"\n'
        b"until = 2027-01-31\n"
    )


READERS = {
    "log": Reader(read_any_log, list_logs),
    "report": Reader(read_any_report, lambda: list_files("tests/text/tickets/*.txt")),
    "zip": Reader(read_any_archive, list_archives),
    "environment-record": Reader(read_any_record, list_records),
    "conda-meta": Reader(read_any_conda_record, list_conda_records),
    "elf": Reader(read_any_binary, list_binaries),
    "ld-so-cache": Reader(read_any_linker_cache, list_linker_caches),
    "installed-list": Reader(read_any_installed_list, list_installed_lists),
    "journal": Reader(read_any_journal, list_entries),
    "redaction": Reader(read_any_text_to_redact, list_secrets),
    "code": Reader(read_any_code, lambda: list_files("tests/source/*/*.py")),
    "configuration": Reader(read_any_configuration, list_configurations),
}
"""By name, as `tools/fuzz_readers.py` takes it."""
