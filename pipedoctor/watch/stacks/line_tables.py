"""Which line an instruction belongs to, by the table that a code object carries."""

_NO_LINE = -128


def find_line_310(table: bytes, first: int, offset: int) -> int:
    """Of 3.10: pairs of bytes, how many bytes of code and how many lines (PEP 626)."""
    line, end = first, 0
    for place in range(0, len(table) - 1, 2):
        step = table[place + 1]
        delta = step - 256 if step > 127 else step  # noqa: PLR2004  (signed)
        end += table[place]
        if delta != _NO_LINE:
            line += delta
        if offset < end:
            return line
    return line


def find_line_311(table: bytes, first: int, offset: int) -> int:
    """From 3.11 on: entries of several bytes (Objects/locations.md)."""
    line, address, place = first, 0, 0
    while place < len(table):
        head = table[place]
        kind, length = head >> 3 & 15, ((head & 7) + 1) * 2
        place += 1
        if kind in {13, 14}:
            line += _parse_signed(table, place)
        elif kind in {10, 11, 12}:
            line += kind - 10
        if address <= offset < address + length:
            return line
        address += length
        while place < len(table) and not table[place] & 128:
            place += 1
    return first


def _parse_signed(table: bytes, place: int) -> int:
    """A signed number of six bits a byte, least first."""
    value = shift = 0
    while place < len(table):
        value |= (table[place] & 63) << shift
        if not table[place] & 64:
            break
        place, shift = place + 1, shift + 6
    return -(value >> 1) if value & 1 else value >> 1
