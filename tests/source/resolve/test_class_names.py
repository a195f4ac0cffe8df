"""Several classes of one name in a file are several classes."""

import pytest

from pipedoctor.facts import Source
from tests.checks.code_samples import read

ITEM = """
    def __getitem__(self, index):
        return torch.load(self.files[index])
"""


def datasets(code: str) -> list[str]:
    """The datasets of the loaders that are made, in the order of the text."""
    return [one.dataset.name if one.dataset else "" for one in read(code).loaders]


def item_datasets(facts: Source) -> set[str]:
    return {event.dataset for event in facts.events if event.item}


@pytest.mark.parametrize(
    ("code", "found"),
    [
        pytest.param(
            f"if x:\n  class Data(Dataset):{ITEM}\nelse:\n  class Data:{ITEM}\nDataLoader(Data())",
            ["train.Data#2"],
            id="of two branches the last one",
        ),
        pytest.param(
            f"class Data(Dataset):{ITEM}\nDataLoader(Data())\n"
            f"class Data(IterableDataset):\n    def __iter__(self):\n        yield 1\n"
            "DataLoader(Data())",
            ["train.Data", "train.Data#2"],
            id="the one before it",
        ),
        pytest.param(
            f"def one():\n    class Data(Dataset):{ITEM.replace(chr(10), chr(10) + '    ')}\n"
            "    return DataLoader(Data())\n"
            f"def two():\n    class Data(Dataset):{ITEM.replace(chr(10), chr(10) + '    ')}\n"
            "    return DataLoader(Data())",
            ["train.Data", "train.Data#2"],
            id="each function its own",
        ),
        pytest.param(
            f"class Data(Dataset):{ITEM}\nclass Data(Data):\n    pass\nDataLoader(Data())",
            ["train.Data#2"],
            id="derived from the one before",
        ),
        pytest.param(
            f"class Data(Dataset):{ITEM}\nclass Other:\n    class Data:\n        pass\n"
            "DataLoader(Data())",
            ["train.Data"],
            id="not one within a class",
        ),
    ],
)
def test_which_one_a_name_means(code: str, found: list[str]) -> None:
    assert datasets(code) == found


def test_they_share_neither_bases_nor_items() -> None:
    facts = read(
        f"class Base:{ITEM}\nclass Data(Base):\n    pass\n"
        f"class Data(Dataset):{ITEM}\nclass Last(Dataset):{ITEM}"
    )

    assert item_datasets(facts) == {"Data#2", "Last"}
