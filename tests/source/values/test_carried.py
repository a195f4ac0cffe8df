"""What attributes of objects stand for, where a constructor sets whatever it is given."""

import pytest

from pipedoctor.facts.source import Argument
from tests.checks.code_samples import read

CONFIG = """
class Config:
    workers = 0
    def __init__(self, **kwargs):
        {body}

def main(rows, options):
    config = Config({given})
    loader = DataLoader(rows, num_workers=config.workers)
"""
SETS = "for name, value in kwargs.items():\n            setattr(self, name, value)"


def workers_of(body: str, given: str) -> Argument:
    (loader,) = read(CONFIG.format(body=body, given=given)).loaders
    return loader.get("num_workers")


@pytest.mark.parametrize("body", [SETS, "self.__dict__.update(kwargs)"])
def test_what_the_call_gives_counts(body: str) -> None:
    assert workers_of(body, "workers=4").value == 4
    assert workers_of(body, "rate=4").value == 0


def test_what_is_not_seen_stays_unknown() -> None:
    assert not workers_of(SETS, "**options").is_known


def test_a_constructor_that_sets_nothing_leaves_the_attribute_of_the_class() -> None:
    assert workers_of("pass", "rate=4").value == 0


@pytest.mark.parametrize(
    ("imports", "name"),
    [
        ("import settings", "settings.WORKERS"),
        ("import tools.settings as s", "int(s.WORKERS)"),
        ("from settings import WORKERS", "WORKERS"),
        ("from settings import WORKERS as count", "count"),
        ("from settings import *", "WORKERS"),
        ("from passed_on import WORKERS", "WORKERS"),
    ],
)
def test_a_constant_of_another_file_is_known(imports: str, name: str) -> None:
    loader = (
        f"{imports}\nfrom torch.utils.data import DataLoader\nDataLoader([], num_workers={name})"
    )
    settings = {
        "tools/settings.py": "WORKERS = 3\n",
        "passed_on.py": "from tools.settings import *\n",
    }

    def workers(**more: str) -> Argument:
        code = {"train.py": loader, **settings, **{f"{key}.py": text for key, text in more.items()}}
        return read(code).loaders[0].get("num_workers")

    assert workers().value == 3
    if "." in name:
        assert not workers(main="import settings\nsettings.WORKERS = 4\n").is_known


def test_what_a_factory_makes_for_a_field_is_known() -> None:
    code = """
    from dataclasses import dataclass, field

    @dataclass
    class Loading:
        workers: int = 3

    @dataclass
    class Config:
        loading: Loading = field(default_factory=Loading)

    def main(rows, config: Config):
        config = Config()
        loader = DataLoader(rows, num_workers=config.loading.workers)
    """
    assert read(code).loaders[0].get("num_workers").value == 3


ITSELF = """
from argparse import Namespace

class Trainer:
    def __init__(self, options):
        self.options = Namespace(self.options)

    def run(self):
        for rows in self.options.loader:
            rows.cuda()
"""


def test_a_namespace_of_itself_is_followed_to_an_end() -> None:
    assert read(ITSELF).parsed == 1
