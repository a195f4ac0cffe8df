"""What every check promises, whoever wrote it; and what a broken pack may not do."""

import importlib
import json
import re
import sys
import textwrap
from collections.abc import Callable, Generator
from pathlib import Path

import pytest

from pipedoctor.check.page import list_headings, list_required_headings
from pipedoctor.engine.catalogue import Catalogue, get_catalogue, load_packs
from pipedoctor.engine.packs import Pack
from pipedoctor.facts import Facts, LiveJob, Pipeline, Shm, World

CATALOGUE = get_catalogue()
CHECKS = list(CATALOGUE.checks.values())


def test_everything_installed_loads() -> None:
    assert CATALOGUE.broken == ()


def test_codes_fit_flake8() -> None:
    codes = [check.code for check in CHECKS]

    assert [code for code in codes if not re.fullmatch(r"PDR[1-9][0-9]{2}", code)] == []


def test_pages_have_their_sections() -> None:
    headings = {check.code: list_headings(check) for check in CHECKS}

    assert headings == {check.code: list_required_headings(check) for check in CHECKS}


def test_pages_start_with_one_sentence_and_name_their_sources() -> None:
    first = {check.code: check.doc.partition("\n\n")[0] for check in CHECKS}

    assert [code for code, sentence in first.items() if not sentence.endswith(".")] == []
    assert [check.code for check in CHECKS if not check.sources] == []


def test_causes_exist() -> None:
    causes = {check.code: set(check.after) for check in CHECKS}

    assert {code: after - set(CATALOGUE.checks) for code, after in causes.items()} == {
        code: set[str]() for code in causes
    }
    assert [code for code, after in causes.items() if code in after] == []


def test_an_unknown_machine_is_skipped_not_judged() -> None:
    verdicts = {check.code: check.run(Facts()) for check in CHECKS}

    assert [code for code, verdict in verdicts.items() if not verdict.skipped] == []
    assert {code: verdict.findings for code, verdict in verdicts.items() if verdict.findings} == {}


def test_each_is_found_by_code_and_name_however_written() -> None:
    spellings = {
        spelling: check
        for check in CHECKS
        for spelling in (
            *(check.code.lower(), check.name, check.name.replace("-", "_")),
            check.name.upper(),
        )
    }

    assert [word for word, one in spellings.items() if CATALOGUE.find_check(word) is not one] == []


def test_checks_that_read_a_fact_are_found_without_loading_all() -> None:
    watched = (LiveJob, Pipeline)
    few = get_catalogue(watched)
    some, every = few.checks, get_catalogue().checks
    reading = {code for code, one in every.items() if any(n in watched for n in one.needs)}

    assert set(some) == reading
    assert {type(table) for table in few.tables} == {
        kind for one in some.values() for kind in one.needs if issubclass(kind, World)
    }
    assert len(reading) < len(every) / 4


def test_nobody_has_this_name() -> None:
    assert CATALOGUE.find_check("no-such-illness") is None


# --- packs of other people

HEALTHY = """
    from pipedoctor.check import Finding, Findings, Severity, check
    from pipedoctor.facts import Shm

    @check("{code}", "An example")
    def {name}(shm: Shm, /) -> Findings:
        yield Finding(severity=Severity.NOTE, summary="here")
"""


def healthy(name: str, code: str) -> str:
    return HEALTHY.format(name=name, code=code)


Packed = Callable[..., Pack]


@pytest.fixture
def packed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[Packed, None, None]:
    """Write a package of these modules; it can be imported while the test runs."""
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    before = set(sys.modules)

    def make(package: str, **modules: str) -> Pack:
        folder = tmp_path / package
        folder.mkdir()
        modules.setdefault("__init__", "")
        for name, source in modules.items():
            (folder / f"{name}.py").write_text(textwrap.dedent(source))
        importlib.invalidate_caches()
        return Pack(package, package)

    yield make
    for name in set(sys.modules) - before:
        del sys.modules[name]


def test_a_healthy_pack_knows_whose_its_checks_are(packed: Packed) -> None:
    found = load_packs([packed("example", one=healthy("one", "EX1"))])

    assert found.broken == ()
    assert found.checks["EX1"].pack == "example"
    assert found.by_name["one"].title == "An example"


@pytest.mark.parametrize(
    ("module", "reason"),
    [
        pytest.param(
            "import nowhere_to_be_found",
            "ModuleNotFoundError: No module named 'nowhere_to_be_found'",
            id="import error",
        ),
        pytest.param("def (", "SyntaxError", id="syntax error"),
        pytest.param("raise SystemExit(3)", "SystemExit: 3", id="exits"),
        pytest.param("1 / 0", "ZeroDivisionError: division by zero", id="crashes"),
        pytest.param("", "must hold a check called ill", id="holds nothing"),
        pytest.param("ill = 7", "must hold a check called ill", id="wrong object"),
        pytest.param(
            healthy("other", "EX9") + "    ill = other",
            "the check of module ill is named other",
            id="another name",
        ),
        pytest.param(healthy("ill", "example"), "'example' is not a code", id="wrong code"),
        pytest.param(
            healthy("ill", "EX9").replace("shm: Shm", "shm: int"),
            "<class 'int'> is not a kind of fact",
            id="wants no fact",
        ),
        pytest.param(
            healthy("ill", "EX9").replace("shm: Shm", "shm: Nowhere"),
            "name 'Nowhere' is not defined",
            id="wants an unknown fact",
        ),
        pytest.param(
            healthy("ill", "EX9").replace("shm: Shm", "shm"),
            "KeyError: 'shm'",
            id="says not which fact",
        ),
        pytest.param(healthy("ill", "EX1"), "EX1 ill is already taken by example", id="code"),
    ],
)
def test_a_broken_module_is_listed_and_its_neighbours_work(
    packed: Packed, module: str, reason: str
) -> None:
    good = packed("example", good=healthy("good", "EX1"))
    mixed = packed("mixed", ill=module, well=healthy("well", "EX2"))

    found = load_packs([good, mixed])

    assert set(found.checks) == {"EX1", "EX2"}
    (broken,) = found.broken
    assert broken.pack == "mixed"
    assert reason in broken.reason


@pytest.mark.parametrize(
    ("init", "reason"),
    [
        pytest.param("import nowhere_to_be_found", "ModuleNotFoundError", id="import"),
        pytest.param("raise SystemExit", "SystemExit", id="exits"),
        pytest.param("", "contains no check", id="empty"),
    ],
)
def test_a_broken_package_is_listed_and_the_next_works(
    packed: Packed, init: str, reason: str
) -> None:
    ill = packed("ill", __init__=init)
    good = packed("example", good=healthy("good", "EX1"))

    found = load_packs([ill, good])

    assert set(found.checks) == {"EX1"}
    assert reason in found.broken[0].reason


def test_a_missing_package_is_listed() -> None:
    (broken,) = load_packs([Pack("ghost", "ghost_checks")]).broken

    assert broken.reason.startswith("ghost_checks: ModuleNotFoundError")


def test_a_value_that_names_no_package_is_listed() -> None:
    (broken,) = load_packs([Pack("odd", "json:loads")]).broken

    assert "json:loads" in broken.reason


def test_a_name_belongs_to_the_first(packed: Packed) -> None:
    first = packed("first", same=healthy("same", "EX1"))
    second = packed("second", same=healthy("same", "EX2"))

    found = load_packs([first, second])

    assert found.checks["EX1"].pack == "first"
    assert found.broken[0].reason == "EX2 same is already taken by first"


def test_checks_of_others_are_loaded_however_they_call_a_fact(packed: Packed) -> None:
    alias = healthy("one", "EX1").replace("import Shm", "import Shm as Room")
    other = healthy("two", "EX2").replace("Shm", "Memory")
    pack = packed("example", one=alias.replace("shm: Shm", "shm: Room"), two=other)

    assert list(load_packs([pack], reading=(Shm,)).checks) == ["EX1"]


def test_a_pack_may_not_write_into_the_report(
    packed: Packed, capsys: pytest.CaptureFixture[str]
) -> None:
    load_packs([packed("loud", __init__="print('hello')", x=healthy("x", "EX1"))])

    assert capsys.readouterr().out == ""


def test_private_modules_and_folders_are_no_checks(packed: Packed) -> None:
    pack = packed("example", _shared="1 / 0", x=healthy("x", "EX1"))

    assert load_packs([pack]).broken == ()


def test_a_pack_brings_its_tables(packed: Packed, tmp_path: Path) -> None:
    pack = packed("example", x=healthy("x", "EX1"))
    world = tmp_path / "example" / "world"
    world.mkdir()
    row = {"fstype": "zonefs", "kind": "local", "source": "s", "checked": "2026-11-21"}
    (world / "filesystems.json").write_text(json.dumps({"rows": [row]}))

    (table,) = load_packs([pack]).tables

    assert type(table).section == "filesystems"


def test_a_bad_table_is_listed(packed: Packed, tmp_path: Path) -> None:
    pack = packed("example", x=healthy("x", "EX1"))
    (tmp_path / "example" / "world").mkdir()
    (tmp_path / "example" / "world" / "filesystems.json").write_text('{"rows": 1}')

    found = load_packs([pack])

    assert set(found.checks) == {"EX1"}
    assert "Expected `array`, got `int`" in found.broken[0].reason


def test_a_catalogue_without_checks_finds_nothing() -> None:
    assert Catalogue({}).find_check("PDR701") is None
