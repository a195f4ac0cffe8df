"""The table of offsets that CPython carries from 3.13 on."""

import struct

import pytest

from pipedoctor.watch.stacks.frame_layout import (
    COOKIE,
    FIXED_LAYOUTS,
    TABLE_FIELDS,
    UnknownLayoutError,
    parse_table,
)


def table(version: tuple[int, int], *, free_threaded: int = 0, size: int = 8) -> bytes:
    """A table whose n-th number is 8 n, but for the sizes."""
    count = sum(1 + len(names.split()) for _, names in TABLE_FIELDS.get(version, ()))
    number = version[0] << 24 | version[1] << 16
    head = COOKIE + struct.pack("<QQ", number, free_threaded)
    return head + struct.pack(f"<{count}Q", *(size * n for n in range(count)))


@pytest.mark.parametrize("version", TABLE_FIELDS)
def test_fields_stand_in_the_order_of_the_header(version: tuple[int, int]) -> None:
    found = parse_table(table(version))

    assert found.version == version
    assert found.interpreters == 16
    assert found.threads == 6 * 8
    assert found.tagged is (version == (3, 14))


def test_refuses_what_it_does_not_know() -> None:
    with pytest.raises(UnknownLayoutError, match="no table of offsets"):
        parse_table(bytes(1024))
    with pytest.raises(UnknownLayoutError, match=r"3\.13 is a free-threaded build") as refused:
        parse_table(table((3, 13), free_threaded=1))
    assert refused.value.version == (3, 13)  # py-spy may know it
    with pytest.raises(UnknownLayoutError, match=r"table of CPython 3\.15 is not known"):
        parse_table(table((3, 15)))
    with pytest.raises(UnknownLayoutError, match="is invalid"):
        parse_table(table((3, 13), size=1 << 40))


def test_older_ones_are_fixed() -> None:
    assert set(FIXED_LAYOUTS) == {(3, 10), (3, 11), (3, 12)}
