"""Which loader a loop is over, through all that people put between the two."""

import pytest

from tests.source.values.loader_programs import MADE, read

FEEDS = {
    "a dictionary that a loop over names fills": f"""
        def build(data):
            loaders = {{}}
            for split in ("train", "dev"):
                loaders[split] = {MADE}
            return loaders
        def main(data):
            for split, loader in build(data).items():
                for x in loader:
                    pass
        """,
    "the values of one that is filled by a variable": f"""
        def main(data, split):
            loaders = {{}}
            loaders[split] = {MADE}
            for loader in loaders.values():
                for x in loader:
                    pass
        """,
    "a generator around it": f"""
        def endless(loader):
            while True:
                for x in loader:
                    yield x
        def main(data):
            batches = endless({MADE})
            for step in range(9):
                x = next(batches)
        """,
    "a method that gives one batch": f"""
        class Feed:
            def __init__(self, data):
                self.batches = iter({MADE})
            def get_batch(self):
                return next(self.batches)
        def main(data):
            feed = Feed(data)
            for step in range(9):
                x = feed.get_batch()
        """,
    "a prefetcher": f"""
        class Prefetcher:
            def __init__(self, loader):
                self.loader = iter(loader)
                self.preload()
            def preload(self):
                self.ready = next(self.loader)
            def next(self):
                batch = self.ready
                self.preload()
                return batch
        def main(data):
            ahead = Prefetcher({MADE})
            batch = ahead.next()
            while batch is not None:
                batch = ahead.next()
        """,
    "wrapped twice in what it is handed to": f"""
        def run(loader):
            it = tqdm(enumerate(loader))
            for n, x in it:
                pass
        def main(data):
            run(loader={MADE})
        """,
    "arguments in a namespace": f"""
        from types import SimpleNamespace
        def main(data):
            held = SimpleNamespace(loader={MADE}, size=3)
            for x in held.loader:
                pass
        """,
    "keywords of a call": f"""
        def run(**given):
            for x in given["loader"]:
                pass
        def main(data):
            run(loader={MADE})
        """,
    "a property of a base": f"""
        class Base:
            @property
            def batches(self):
                return self.make()
        class Mine(Base):
            def make(self):
                return {MADE}
            def run(self):
                for x in self.batches:
                    pass
        """,
    "a tuple that is returned": f"""
        def made(data):
            return {MADE}, {MADE}
        def main(data):
            train, test = made(data)
            for x in test:
                pass
        """,
    "a dictionary": f"""
        def main(data):
            loaders = {{"train": {MADE}, "test": {MADE}}}
            for x in loaders["test"]:
                pass
        """,
    "a dictionary for each phase": f"""
        def main(data):
            loaders = {{phase: {MADE} for phase in ("a", "b")}}
            for phase in ("a", "b"):
                for x in loaders[phase]:
                    pass
        """,
    "a method": f"""
        class Trainer:
            def made(self, data):
                return {MADE}
            def run(self, data):
                for x in self.made(data):
                    pass
        """,
    "parts that a method returns": f"""
        class Trainer:
            def made(self, data):
                loaders = ({MADE}, {MADE})
                return loaders
            def run(self, data):
                train, test = self.made(data)
                for x in train:
                    pass
        """,
    "a choice": f"""
        def main(data, first):
            loader = {MADE} if first else None
            for x in loader or ():
                pass
        """,
    "a wrapper of its own": f"""
        class Ahead:
            def __init__(self, loader):
                self.loader = loader
        def main(data):
            for x in Ahead({MADE}):
                pass
        """,
    "an attribute of another object": f"""
        class Trainer:
            def __init__(self, data):
                self.loader = {MADE}
        def main(trainer):
            for x in trainer.loader:
                pass
        """,
    "each of several": f"""
        def main(data):
            train = {MADE}
            for loader in (train, None):
                for x in loader:
                    pass
        """,
    "a function within": f"""
        def main(data):
            def run(loader):
                for x in loader:
                    pass
            run({MADE})
        """,
    "prepared with others": f"""
        def main(data, accelerator, model):
            loader = {MADE}
            model, loader = accelerator.prepare(model, loader)
            for x in loader:
                pass
        """,
    "a bar": f"""
        def main(data):
            for x in tqdm(iterable={MADE}):
                pass
        """,
    "a dictionary that is filled": f"""
        def main(data, net):
            loaders = {{}}
            for split in ("train", "test"):
                loaders[split] = {MADE}
                loaders[split + "_files"] = data
            run(net, loaders)
        def run(net, loaders):
            epoch(net, loaders["train"])
        def epoch(net, batches):
            for x in batches:
                pass
        """,
    "a list that grows": f"""
        def made(sets):
            loaders = []
            for data in sets:
                loader = {MADE}
                loaders.append(loader)
            return loaders
        def main(data):
            loader = made([data])[0]
            for x in loader:
                pass
        """,
    "a dictionary that an object keeps": f"""
        class Solver:
            def __init__(self, loaders):
                self.loaders = loaders
            def run(self):
                self.feed(self.loaders["train"], "train")
            def feed(self, loader, phase):
                loader = loader if phase == "train" else show(loader)
                for x in loader:
                    pass
        def solver(loaders):
            return Solver(loaders=loaders)
        def main(data):
            loaders = {{"train": {MADE}}}
            solver(loaders).run()
        """,
    "a named tuple": f"""
        import collections
        Parts = collections.namedtuple("Parts", "data loader")
        Others = collections.namedtuple("Others", ["data", "loader"])
        class Task:
            def __init__(self, data):
                self.parts = made(data)
                self.predict(self.parts)
            def predict(self, parts):
                data, loader = parts
                for x in loader:
                    pass
        def made(data):
            return Parts(data=data, loader={MADE})
        """,
    "a named tuple by its places": f"""
        from collections import namedtuple
        Parts = namedtuple("Parts", ("data", "loader"))
        def main(data):
            _, loader = Parts(data, {MADE})
            for x in loader:
                pass
        """,
    "one of two classes": """
        class Endless(DataLoader):
            pass
        def main(data, plain):
            kind = DataLoader if plain else Endless
            for x in kind(data):
                pass
        """,
    "several at once": f"""
        def main(data):
            loaders = [{MADE}, {MADE}]
            for x, y in zip(*loaders, {MADE}):
                pass
        """,
}
WAYS = {
    "a choice of two": (
        "given = {'num_workers': 4} if cuda else {}",
        ("unknown", "inferred"),
    ),
    "dict()": ("given = dict(num_workers=4)", ("literal",)),
    "another call": ("given = options()", ("unknown",)),
    "updated": (
        "given = {}\n    given.update({'num_workers': 4})",
        ("literal", "inferred"),
    ),
    "updated by name": ("given = {}\n    given.update(num_workers=4)", ("literal",)),
    "one by one": ("given = {}\n    given['num_workers'] = 4", ("literal",)),
    "under a condition": (
        "given = {'num_workers': 4}\n    if cuda:\n        given['num_workers'] = 2",
        ("unknown",),
    ),
    "of keys nobody knows": ("given = {cuda: 4}", ("unknown",)),
    "no dictionary": ("given = 3 + cuda", ("unknown",)),
}


@pytest.mark.parametrize("code", FEEDS.values(), ids=FEEDS)
def test_the_loader_is_found(code: str) -> None:
    assert any(loop.loaders for loop in read(code).loops)


@pytest.mark.parametrize(("setting", "how"), WAYS.values(), ids=WAYS)
def test_dictionaries_carry_arguments(setting: str, how: tuple[str, ...]) -> None:
    code = f"def main(data, cuda):\n    {setting}\n    DataLoader(data, **given)\n"

    found = {one.get("num_workers").how for one in read(code).loaders}

    assert found
    assert found <= set(how)
