"""The pages of memory in which the frames of one thread lie; they mostly stay the same."""

from collections.abc import Sequence

from pipedoctor.watch.stacks.remote_memory import RemoteMemory, TornReadError

PAGE_BYTES = 4096
_WORD = 8
_MAX_EXPECTED = 6
"""Pages that are read together with the pointers that lead to them."""


class FramePages:
    """
    Pages of one sample, read in one call where the last sample needed them too.

    A call costs ten times what copying a page costs.
    """

    def __init__(self, memory: RemoteMemory) -> None:
        self._memory = memory
        self._pages: dict[int, memoryview] = {}
        self._expected: tuple[int, ...] = ()
        self._whole = self._before = b""
        self.is_unchanged = False
        """Is every byte of this sample as it was the last time?"""

    def begin(self, heads: Sequence[int]) -> list[int] | None:
        """
        Begin a sample; the pointers at these addresses, as they were at the same time.

        None: the pages of the last sample are not known, or no more mapped.
        """
        self._pages.clear()
        self._whole, self.is_unchanged = b"", False
        if not self._expected:
            return None
        places = [(address, _WORD) for address in heads]
        places += [(page, PAGE_BYTES) for page in self._expected]
        whole = self._memory.read_joined(places)
        if whole is None:
            self._expected = ()
            return None
        start = _WORD * len(heads)
        view = memoryview(whole)
        for number, page in enumerate(self._expected):
            begin = start + PAGE_BYTES * number
            self._pages[page] = view[begin : begin + PAGE_BYTES].cast("Q")
        self._whole, self.is_unchanged = whole, whole == self._before
        return list(view[:start].cast("Q"))

    def skip_comparison(self) -> None:
        """What led to the frames was read later than the pages: compare no sample with it."""
        self._whole, self.is_unchanged = b"", False

    def find_words(self, address: int, size: int) -> tuple[memoryview, int]:
        """Words with these bytes in them, and the index of the first; TornReadError."""
        if address % _WORD:
            message = f"no frame lies at {address:#x}"
            raise TornReadError(message)
        offset = address % PAGE_BYTES
        page = address - offset
        if offset + size > PAGE_BYTES:  # it lies on two pages
            words = memoryview(self._memory.read(address, size + -size % _WORD)).cast("Q")
            self._whole = b""
            return words, 0
        found = self._pages.get(page)
        if found is None:
            found = memoryview(self._memory.read(page, PAGE_BYTES)).cast("Q")
            self._pages[page] = found
        return found, offset // _WORD

    def find_word(self, address: int) -> int:
        """The word at this address, of a page that was read or by a read of its own."""
        offset = address % PAGE_BYTES
        page = self._pages.get(address - offset)
        if page is None or address % _WORD:
            return self._memory.read_pointer(address)
        return int(page[offset // _WORD])

    def end(self, addresses: Sequence[int]) -> None:
        """End a sample, whose frames lay at these addresses: they are expected next time."""
        pages = tuple(dict.fromkeys(address - address % PAGE_BYTES for address in addresses))
        expected = pages[:_MAX_EXPECTED]
        same = set(expected) <= set(self._expected) and len(pages) == len(expected)
        self._before = self._whole if same else b""
        if not same:
            self._expected = expected

    def forget(self) -> None:
        """Expect nothing: a sample was torn."""
        self._pages.clear()
        self._expected, self._before = (), b""
