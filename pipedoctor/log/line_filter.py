"""
Find the few lines of a log that are worth reading.

Lines are compared by their shape: letters without case, digits dropped. A training log
of a gigabyte has a few hundred shapes; each is looked at once. The work per byte is
done by `bytes.translate`, `split` and sets, at the speed of memory.
"""

LETTERS = b"abcdefghijklmnopqrstuvwxyz"
DIGITS = b"0123456789"
_NEWLINE = 10
_SHAPE_BYTES = {*LETTERS, *LETTERS.upper(), _NEWLINE}
SHAPE_TABLE = bytes(
    (byte if byte in {*LETTERS, _NEWLINE} else byte | 32) if byte in _SHAPE_BYTES else 32
    for byte in range(256)
)
"""Small letters and newlines stay; everything else becomes a space."""

MAX_REPEATS = 200
"""So many lines of one shape tell what there is to tell."""
TAIL_LINES = 2000
"""Lines at the end of a log that are read, however often their shape was seen."""
MAX_SHAPES = 40_000
"""Shapes that are remembered."""
MAX_SHAPE_BYTES = 600
"""Bytes of a shape that is remembered."""
TRACEBACK_WORDS = frozenset(
    {
        *(b"traceback", b"file", b"during", b"above", b"cell", b"ipython", b"userwarning"),
        *(b"ulimit", b"nproc", b"sysctl", b"cgroup"),
        *(b"docker", b"podman", b"torchrun", b"dockerfile", b"containers", b"metadata"),
    }
)
"""
Words of a traceback's own lines, of what torch warns of, of what takes many lines, and of
commands that print a number.
"""
LINES_AFTER = 8
"""Lines after a line of a traceback that may hold its exception."""


PROGRESS_BAR = b"%|"
_SPACE_RUNS = (b" " * 16, b" " * 4, b" " * 3, b" " * 2, b" " * 2)


def compute_shape(text: bytes) -> bytes:
    """Reduce text to its letters; lines stay lines."""
    return text.translate(SHAPE_TABLE, DIGITS)


def _normalize_shapes(block: bytes) -> bytes:
    """The shapes of its lines; of progress bars alike, however long they are."""
    shapes = compute_shape(block)
    if PROGRESS_BAR in block:
        for run in _SPACE_RUNS:
            shapes = shapes.replace(run, b" ")
    return shapes


class LineFilter:
    """Selects the lines to read: remembers the shapes of lines that need no reading."""

    def __init__(self, words: frozenset[str], needles: tuple[bytes, ...] = ()) -> None:
        self._needles = needles
        """What is looked for in lines beyond ASCII, whose letters a shape lacks."""
        self._words = TRACEBACK_WORDS.union(" ".join(words).encode().split())
        self._boring: set[bytes] = set()
        self._counts: dict[bytes, int] = {}
        self._due = 0
        """Lines of the next block that follow a traceback's line in this one."""

    @property
    def remembered_count(self) -> int:
        """How many shapes of boring lines are kept."""
        return len(self._boring)

    def pick_lines(self, block: bytes, *, last: bool = False) -> list[int]:
        """Which lines of the block to read; of the `last`, also those seen often."""
        shapes = _normalize_shapes(block).split(b"\n")
        ends = len(shapes) - 1
        picked = set(range(min(self._due, len(shapes))))
        self._due = max(self._due - ends, 0)
        new = set(shapes) - self._boring
        if not new:
            return sorted(picked)
        words, counts = self._words, self._counts
        good = {s for s in new if s in counts or not words.isdisjoint(s.split())}
        unread = new - good
        if unread and self._needles and not block.isascii():
            good |= self._find_foreign(block, shapes, unread)
        self._remember(new - good)
        end = len(shapes) - TAIL_LINES if last else len(shapes)
        if last or any(counts.get(one, 0) < MAX_REPEATS for one in good):
            for index, one in enumerate(shapes):
                if one in good and (index >= end or counts.get(one, 0) < MAX_REPEATS):
                    counts[one] = counts.get(one, 0) + 1
                    more = LINES_AFTER if not TRACEBACK_WORDS.isdisjoint(one.split()) else 0
                    past = index + more + 1
                    picked.update(range(index, min(past, len(shapes))))
                    self._due = max(self._due, past - ends)
        return sorted(picked)

    def _find_foreign(self, block: bytes, shapes: list[bytes], unread: set[bytes]) -> set[bytes]:
        """Shapes of lines that say in another script what is looked for."""
        return {
            one
            for one, line in zip(shapes, block.split(b"\n"), strict=True)
            if one in unread
            and not line.isascii()
            and any(needle in line for needle in self._needles)
        }

    def _remember(self, boring: set[bytes]) -> None:
        if len(self._boring) > MAX_SHAPES:
            self._boring.clear()
        if len(self._counts) > MAX_SHAPES:
            self._counts.clear()
        self._boring.update(one for one in boring if len(one) <= MAX_SHAPE_BYTES)
