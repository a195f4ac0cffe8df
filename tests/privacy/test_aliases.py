"""Numbers for names: given once, and remembered where there is a memory."""

from collections.abc import Mapping

from pipedoctor.privacy.aliases import AliasedName, AliasTable


class CountedMemory:
    """A memory that knows one name, and how often it was asked."""

    def __init__(self) -> None:
        self.reads = 0

    def read_numbers(self) -> tuple[dict[AliasedName, int], dict[str, int]]:
        self.reads += 1
        return {("user", "alice"): 3}, {"user": 3}

    def reserve_numbers(self, requests: Mapping[AliasedName, int]) -> dict[AliasedName, int]:
        return dict(requests)


def test_a_memory_is_asked_when_the_first_name_comes_and_once() -> None:
    memory = CountedMemory()
    table = AliasTable(memory)
    table.mark_taken("user", 5)

    assert memory.reads == 0
    assert table.get_alias("user", "<user-9>") == "<user-9>"
    assert memory.reads == 0
    assert table.get_alias("user", "alice") == "<user-3>"
    assert table.get_alias("user", "bob") == "<user-6>"
    assert memory.reads == 1
