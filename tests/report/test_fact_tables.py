"""Facts as names, values and tables: nothing that tells something is lost."""

from typing import Any

from pipedoctor.report.fact_tables import (
    MAX_ROWS,
    FactSection,
    FactTable,
    build_sections,
)


def test_values_are_said_as_in_evidence() -> None:
    shm = {"size": 64 << 20, "mounted": True, "missing": False, "fstype": "tmpfs"}

    assert build_sections({"shm": shm}) == [
        FactSection(
            name="shm",
            values=(
                ("size", "64.0 MiB"),
                ("mounted", "yes"),
                ("missing", "no"),
                ("fstype", "tmpfs"),
            ),
            tables=(),
        )
    ]


def test_what_is_empty_or_unknown_is_left_out_but_not_zero() -> None:
    odd: dict[str, Any] = {
        "a": None,
        "b": "",
        "c": [],
        "d": {},
        "e": 0,
        "f": 0.0,
        "g": (),
    }

    (section,) = build_sections({"x": odd})

    assert section.values == (("e", "0"), ("f", "0"))
    assert section.tables == ()


def test_parts_have_the_name_of_the_whole() -> None:
    (section,) = build_sections({"limits": {"nofile": {"soft": 1024, "hard": None}}})

    assert section.values == (("nofile.soft", "1024"),)


def test_lists_of_words_are_said_in_full() -> None:
    flags = [f"flag{number}" for number in range(20)]

    (section,) = build_sections({"cpu": {"flags": flags}})

    assert section.values == (("flags", ", ".join(flags)),)


def test_lists_of_things_are_tables() -> None:
    entries = [
        {"path": "/a", "mount": {"point": "/"}, "free": None},
        {"path": "/b", "error": "gone", "free": 2 << 20},
    ]

    (section,) = build_sections({"paths": {"entries": entries}})

    assert section.tables == (
        FactTable(
            name="entries",
            columns=("path", "mount.point", "error", "free"),
            rows=(("/a", "/", "", ""), ("/b", "", "gone", "2.0 MiB")),
            omitted_rows=0,
        ),
    )


def test_long_tables_say_what_they_leave_out() -> None:
    packages = [{"name": f"p{number}"} for number in range(MAX_ROWS + 1)]

    (whole,) = build_sections({"packages": {"entries": packages[:-1]}})
    (cut,) = build_sections({"packages": {"entries": packages}})

    assert len(whole.tables[0].rows) == len(cut.tables[0].rows) == MAX_ROWS
    assert (whole.tables[0].omitted_rows, cut.tables[0].omitted_rows) == (0, 1)


def test_names_are_cleaned() -> None:
    (section,) = build_sections({"variables": {"a\x1b": "b\u202e"}})

    assert section.values == (("a\\x1b", "b\\u202e"),)
