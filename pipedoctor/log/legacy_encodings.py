"""Lines in the encodings of before Unicode: told by their letters, and decoded."""

import contextlib
from collections.abc import Callable, Iterable, Iterator
from itertools import islice, pairwise

_CJK = ("\u4e00", "\u9fff")
_KANA = ("\u3041", "\u30fe")
_HANGUL = ("\uac00", "\ud7a3")
_CYRILLIC = ("\u0400", "\u045f")
_LEVEL_ONE_GB, _LEVEL_ONE_BIG5 = 0xD7, 0xC6
"""Last lead bytes of the characters that are used every day."""
_MIN_USUAL_SHARE = 0.7
"""Share of letters that must be usual ones."""
_SETTLED_BYTES = 200
"""Bytes beyond ASCII after which the encoding of a log is settled."""
_MAX_LINES, _MAX_LINE_BYTES = 2000, 2000
"""Lines that are looked at, and bytes of each: what is no text has no encoding."""
_LAST_ASCII = 0x7F
_UTF16_MARK = b"\xff\xfe"
_CONTROL_BYTES = bytes({*range(32), 127} - {*b"\t\n\r\b\f\x1b"})
_MAX_CONTROL_SHARE = 0.05
_SAMPLE_LINES = 50
"""Lines beyond ASCII of a block that are looked at before all are decoded at once."""

LetterScorer = Callable[[str], float]
"""How usual these letters are, from 0 to 1: those beyond ASCII, and what is between."""


def convert_blocks(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """
    The same lines in UTF-8, as far as anybody can tell; their number stays.

    Zero bytes go: of UTF-16 that begins in the middle of a file, and of files that were cut
    while somebody wrote to them.
    """
    guess = EncodingGuesser()
    for block in blocks:
        if 0 in block:
            block = block.replace(b"\0", b"").replace(_UTF16_MARK, b"")  # noqa: PLW2901
        if block.isascii() or _is_utf8(block):
            yield block
        elif _is_binary(block):
            yield b"\n" * block.count(b"\n")
        else:
            yield guess.decode_block(block)


def _is_binary(block: bytes) -> bool:
    """Are there signs in it that no program writes into a log?"""
    plain = block.translate(None, _CONTROL_BYTES)
    return len(block) - len(plain) > _MAX_CONTROL_SHARE * len(block)


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


class EncodingGuesser:
    """Learns from line to line which encoding a log is in."""

    def __init__(self) -> None:
        self._votes = dict.fromkeys(ENCODINGS, 0.0)
        self._asked = 0

    def decode_block(self, block: bytes) -> bytes:
        """Every line that is no UTF-8 as what it most likely is."""
        lines = block.split(b"\n")
        best = self._pick_best()
        odd = islice((line for line in lines if not line.isascii()), _SAMPLE_LINES)
        if self._votes[best] >= _SETTLED_BYTES and not any(map(_is_utf8, odd)):
            with contextlib.suppress(UnicodeDecodeError):  # then line by line
                return block.decode(best).encode(errors="replace")
        return b"\n".join(map(self._decode_line, lines))

    def _pick_best(self) -> str:
        return max(self._votes, key=self._votes.__getitem__)

    def _decode_line(self, line: bytes) -> bytes:
        if line.isascii() or _is_utf8(line) or _is_broken_utf8(line):
            return line
        best = self._pick_best()
        if self._votes[best] < _SETTLED_BYTES and self._asked < _MAX_LINES:
            self._vote(line[:_MAX_LINE_BYTES])
            best = self._pick_best()
        if not self._votes[best]:
            return line
        return line.decode(best, "replace").encode(errors="replace")

    def _vote(self, line: bytes) -> None:
        self._asked += 1
        weight = sum(byte > _LAST_ASCII for byte in line)
        for name, score in ENCODINGS.items():
            try:
                share = score(line.decode(name))
            except UnicodeDecodeError:
                continue
            if share >= _MIN_USUAL_SHARE:
                self._votes[name] += share * weight


def _is_broken_utf8(line: bytes) -> bool:
    """Is it UTF-8, but for a letter that is broken?"""
    text = line.decode(errors="replace")
    broken = text.count("\ufffd")
    return sum(not letter.isascii() for letter in text) - broken >= 2 * broken


def _measure_share(text: str, is_common: Callable[[str], bool]) -> float:
    beyond = [letter for letter in text if not letter.isascii()]
    return sum(map(is_common, beyond)) / len(beyond)


def _make_range_test(*ranges: tuple[str, str]) -> Callable[[str], bool]:
    return lambda letter: any(low <= letter <= high for low, high in ranges)


def _score_japanese(text: str) -> float:
    """No sentence is without kana."""
    if not any(map(_make_range_test(_KANA), text)):
        return 0.0
    return _measure_share(
        text, _make_range_test(_KANA, _CJK, ("\u3000", "\u303f"), ("\uff00", "\uff60"))
    )


def _make_level_scorer(encoding: str, last: int) -> LetterScorer:
    def is_common(letter: str) -> bool:
        if "\u3000" <= letter <= "\u303f" or "\uff00" <= letter <= "\uff5e":
            return True
        code = letter.encode(encoding, "ignore")
        return _CJK[0] <= letter <= _CJK[1] and code[:1] != b"" and code[0] <= last

    return lambda text: _measure_share(text, is_common)


def _score_cyrillic(text: str) -> float:
    """Words are in small letters; in the other encoding of the time all is capital."""
    inner = [b for a, b in pairwise(text) if not a.isascii() and not b.isascii()]
    small = sum("\u0430" <= letter <= "\u045f" for letter in inner)
    if 2 * small <= sum(not letter.isascii() for letter in text):
        return 0.0
    return _measure_share(text, _make_range_test(_CYRILLIC))


def _score_western(text: str) -> float:
    """A letter with an accent has plain ones beside it."""
    framed = f" {text} "
    beyond = [at for at, letter in enumerate(framed) if not letter.isascii()]
    fine = [at for at in beyond if framed[at].isalpha() and _has_ascii_neighbours(framed, at)]
    return len(fine) / len(beyond)


def _has_ascii_neighbours(text: str, at: int) -> bool:
    around = text[at - 1] + text[at + 1]
    return around.isascii() and any(map(str.isalpha, around))


ENCODINGS: dict[str, LetterScorer] = {
    "cp932": _score_japanese,
    "euc_jp": _score_japanese,
    "cp949": lambda text: _measure_share(text, _make_range_test(_HANGUL)),
    "gb18030": _make_level_scorer("gb2312", _LEVEL_ONE_GB),
    "big5": _make_level_scorer("big5", _LEVEL_ONE_BIG5),
    "cp1251": _score_cyrillic,
    "koi8_r": _score_cyrillic,
    "cp1252": _score_western,
}
"""Of those that fit equally well the first is meant."""
