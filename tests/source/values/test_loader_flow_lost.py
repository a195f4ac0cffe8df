"""Ways from a loader to a loop that cannot be followed: nothing is made up."""

import pytest

from tests.source.values.loader_programs import MADE, read

LOST = {
    "a part that is not there": f"""
        def main(data):
            pair = ({MADE}, 1)
            for x in pair[7]:
                pass
        """,
    "another key": f"""
        def main(data):
            loaders = {{"train": {MADE}}}
            for x in loaders["rows"]:
                pass
        """,
    "another key of one that is filled": f"""
        def main(data):
            loaders = {{}}
            loaders["train"] = {MADE}
            for x in loaders["rows"]:
                pass
        """,
    "beside those that are called by a name": f"""
        def main(data, split):
            loaders = {{}}
            loaders[split + "_batches"] = {MADE}
            for x in loaders[split]:
                pass
        """,
    "another field": f"""
        from collections import namedtuple
        Parts = namedtuple("Parts", "data loader")
        def main(data):
            rows, loader = Parts(data, {MADE})
            for x in rows:
                pass
        """,
    "no field": f"""
        from collections import namedtuple
        Parts = namedtuple(NAME, FIELDS)
        Pair = namedtuple("Pair", "data")
        def main(data):
            rows, batches = Parts(data, {MADE})
            _, others = Pair({MADE}, 1)
            for x, y in zip(batches, others):
                pass
        """,
    "one of two, who knows what": """
        def main(data, plain):
            kind = DataLoader if plain else print
            for x in kind(data):
                pass
        """,
    "a number": f"""
        def main(data):
            loader = {MADE}
            for x in 3:
                pass
        """,
}


@pytest.mark.parametrize("code", LOST.values(), ids=LOST)
def test_nothing_is_made_up(code: str) -> None:
    assert not any(loop.loaders for loop in read(code).loops)
