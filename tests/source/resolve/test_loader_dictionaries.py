"""Arguments of loaders that dictionaries and partials hand on."""

import pytest

from pipedoctor.facts.source import LoaderCall
from tests.checks.code_samples import read

OBJECTS = """
from dataclasses import asdict, dataclass
from functools import partial
from types import SimpleNamespace
from typing import NamedTuple

COMMON = {"num_workers": 2, "shuffle": False}
SETTINGS = {"loader": {"num_workers": 2, "shuffle": True}, "name": "rows"}

@dataclass
class Options:
    num_workers: int = 2
    shuffle: bool = True

class Row(NamedTuple):
    num_workers: int = 2
    shuffle: bool = False

def pick(**more):
    return {**COMMON, **more}
"""
KNOWN = {
    "a dictionary spread into another": "DataLoader(x, **{**COMMON, 'shuffle': True})",
    "a union": "DataLoader(x, **(COMMON | {'shuffle': True}))",
    "a dictionary made of another": "DataLoader(x, **dict(COMMON, shuffle=True))",
    "an item of another": "DataLoader(x, **SETTINGS['loader'])",
    "a copy that is changed": """
    options = COMMON.copy()
    options["shuffle"] = True
    loader = DataLoader(x, **options)""",
    "an item that is taken out": """
    options = {"num_workers": 2, "shuffle": True, "pin_memory": True}
    del options["pin_memory"]
    loader = DataLoader(x, **options)""",
    "one that is changed afterwards": """
    options = {"num_workers": 2, "shuffle": True}
    loader = DataLoader(x, **options)
    options["num_workers"] = 0
    options.pop("shuffle")""",
    "fields of a dataclass": "DataLoader(x, **asdict(Options()))",
    "fields of a dataclass that are given": "DataLoader(x, **vars(Options(num_workers=2)))",
    "fields of a named tuple": "DataLoader(x, **Row(shuffle=True)._asdict())",
    "a namespace": "DataLoader(x, **vars(SimpleNamespace(num_workers=2, shuffle=True)))",
    "a partial of a partial": """
    base = partial(DataLoader, num_workers=2)
    make = partial(base, shuffle=True)
    loader = make(x)""",
    "a partial with a dictionary": """
    make = partial(DataLoader, **SETTINGS["loader"])
    loader = make(x)""",
    "a partial with its rows": """
    make = partial(DataLoader, x, num_workers=2)
    loader = make(shuffle=True)""",
}
UNKNOWN = {
    "an unknown dictionary behind": "DataLoader(x, **{'num_workers': 2, 'shuffle': True, **more})",
    "an item that is taken out under a condition": """
    options = {"num_workers": 2, "shuffle": True}
    if more:
        options.pop("num_workers")
    loader = DataLoader(x, **options)""",
    "a partial with an unknown dictionary": """
    make = partial(DataLoader, **more)
    loader = make(x)""",
    "an object of which nobody knows the class": "DataLoader(x, **asdict(more))",
}
FACTORY = """
def make(rows, options, **more):
    more.setdefault("shuffle", True)
    more["drop_last"] = True
    return DataLoader(rows, **options, **more)
"""


def find_loaders(code: str) -> list[LoaderCall]:
    body = code if code.startswith("\n") else f"\n    loader = {code}"
    return list(read(f"{OBJECTS}\ndef main(x, more):{body}\n").loaders)


@pytest.mark.parametrize("code", KNOWN.values(), ids=KNOWN)
def test_all_is_known(code: str) -> None:
    (loader,) = find_loaders(code)
    assert loader.complete
    assert (loader.get("num_workers").value, loader.get("shuffle").value) == (2, True)
    assert loader.get("pin_memory").how == "absent"


@pytest.mark.parametrize("code", UNKNOWN.values(), ids=UNKNOWN)
def test_what_may_be_replaced_is_unknown(code: str) -> None:
    (loader,) = find_loaders(code)
    assert not loader.complete
    assert loader.get("num_workers").how == "unknown"


@pytest.mark.parametrize(
    ("calls", "workers"),
    [
        ("make(x, {'num_workers': 2})", 2),
        ("make(x, COMMON)\n    other = make(y, COMMON)", 2),
        ("make(x, COMMON)\n    other = make(y, {'num_workers': 0})", None),
    ],
    ids=["one caller", "callers that hand over the same", "callers that differ"],
)
def test_a_dictionary_that_callers_hand_over(calls: str, workers: int | None) -> None:
    code = FACTORY.replace(", **more", "").replace("more", "options")
    made = read(f"{OBJECTS}{code}\ndef main(x, y):\n    loader = {calls}\n").loaders
    assert made[0].get("num_workers").value == workers


@pytest.mark.parametrize(
    ("given", "shuffle"), [("", True), (", shuffle=False", False)], ids=["left out", "given"]
)
def test_what_a_function_sets_in_the_arguments_it_hands_on(given: str, *, shuffle: bool) -> None:
    code = FACTORY.replace(", options", "").replace("**options, ", "")
    inner, call = read(f"{code}\ndef main(x):\n    loader = make(x{given})\n").loaders
    assert inner.get("shuffle").how == "unknown"  # whoever calls it may give it
    assert call.get("shuffle").value is shuffle
    assert call.get("drop_last").value is True
