"""Facts as names, values and tables: nothing that tells something is lost."""

from typing import Any

from pipedoctor.report.digest import MOST, Section, Sheet, sections


def test_values_are_said_as_in_evidence() -> None:
    shm = {"size": 64 << 20, "mounted": True, "missing": False, "fstype": "tmpfs"}

    assert sections({"shm": shm}) == [
        Section(
            name="shm",
            values=(
                ("size", "64.0 MiB"),
                ("mounted", "yes"),
                ("missing", "no"),
                ("fstype", "tmpfs"),
            ),
            sheets=(),
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

    (section,) = sections({"x": odd})

    assert section.values == (("e", "0"), ("f", "0"))
    assert section.sheets == ()


def test_parts_have_the_name_of_the_whole() -> None:
    (section,) = sections({"limits": {"nofile": {"soft": 1024, "hard": None}}})

    assert section.values == (("nofile.soft", "1024"),)


def test_lists_of_words_are_said_in_full() -> None:
    flags = [f"flag{number}" for number in range(20)]

    (section,) = sections({"cpu": {"flags": flags}})

    assert section.values == (("flags", ", ".join(flags)),)


def test_lists_of_things_are_tables() -> None:
    entries = [
        {"path": "/a", "mount": {"point": "/"}, "free": None},
        {"path": "/b", "error": "gone", "free": 2 << 20},
    ]

    (section,) = sections({"paths": {"entries": entries}})

    assert section.sheets == (
        Sheet(
            name="entries",
            columns=("path", "mount.point", "error", "free"),
            rows=(("/a", "/", "", ""), ("/b", "", "gone", "2.0 MiB")),
            left=0,
        ),
    )


def test_long_tables_say_what_they_leave_out() -> None:
    packages = [{"name": f"p{number}"} for number in range(MOST + 1)]

    (whole,) = sections({"packages": {"entries": packages[:-1]}})
    (cut,) = sections({"packages": {"entries": packages}})

    assert len(whole.sheets[0].rows) == len(cut.sheets[0].rows) == MOST
    assert (whole.sheets[0].left, cut.sheets[0].left) == (0, 1)


def test_names_are_cleaned() -> None:
    (section,) = sections({"variables": {"a\x1b": "b\u202e"}})

    assert section.values == (("a\\x1b", "b\\u202e"),)
