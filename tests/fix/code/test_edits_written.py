"""What every edit that a check offers writes."""

import ast

import pytest

from tests.fix.code.conftest import HEAD, TRAIN, Mend
from tests.fix.code.loader_calls import SAMPLED, WORKERS, loader, run
from tests.fix.code.training_edits import TRAINING_EDITS

LOADER_EDITS: dict[str, tuple[str, str, str, str]] = {
    "workers": (
        "PDR101",
        loader("Images([]), 4"),
        "DataLoader(Images([]), 4)",
        "DataLoader(Images([]), 4, num_workers=2, persistent_workers=True)",
    ),
    "workers, 0 by position": (
        "PDR101",
        loader("Images([]), 4, False, None, None, 0", "    return loader\n"),
        "None, None, 0)",
        "None, None, 2)",
    ),
    "CPUs": (
        "PDR102",
        loader("Images([]), num_workers=32"),
        "num_workers=32",
        "num_workers=min(32, len(os.sched_getaffinity(0)))",
    ),
    "CPUs of the machine": (
        "PDR102",
        loader("Images([]), num_workers=os.cpu_count()"),
        "num_workers=os.cpu_count()",
        "num_workers=len(os.sched_getaffinity(0))",
    ),
    "not persistent": (
        "PDR104",
        loader("Images([]), persistent_workers=True"),
        "persistent_workers=True",
        "persistent_workers=False",
    ),
    "persistent by option": (
        "PDR104",
        WORKERS.format(0) + loader("Images([]), num_workers=args.workers, persistent_workers=True"),
        "persistent_workers=True",
        "persistent_workers=args.workers > 0",
    ),
    "no prefetching": (
        "PDR105",
        loader("Images([]), prefetch_factor=4, batch_size=2"),
        "prefetch_factor=4, batch_size=2",
        "batch_size=2",
    ),
    "prefetching by option": (
        "PDR105",
        WORKERS.format(0) + loader("Images([]), num_workers=args.workers, prefetch_factor=4"),
        "prefetch_factor=4",
        "prefetch_factor=4 if args.workers > 0 else None",
    ),
    "prefetching nothing": (
        "PDR105",
        loader("Images([]), num_workers=2, prefetch_factor=0"),
        "prefetch_factor=0",
        "prefetch_factor=2",
    ),
    "persistent": (
        "PDR106",
        loader("Images([]), num_workers=2"),
        "num_workers=2",
        "num_workers=2, persistent_workers=True",
    ),
    "persistent where an option has workers": (
        "PDR106",
        WORKERS.format(4) + loader("Images([]), num_workers=args.workers"),
        "num_workers=args.workers)",
        f"num_workers=args.workers,\n{'':24}persistent_workers=args.workers > 0)",
    ),
    "no shuffle": (
        "PDR108",
        loader(f"{SAMPLED}, shuffle=True"),
        ", shuffle=True",
        "",
    ),
    "no shuffle, by position": (
        "PDR108",
        loader("Images([]), 4, True, torch.utils.data.SubsetRandomSampler([1])"),
        "4, True",
        "4, False",
    ),
    "the last batch": (
        "PDR109",
        "net = torch.nn.BatchNorm1d(3)\n" + loader("Images([]), 4, shuffle=True"),
        "shuffle=True",
        "shuffle=True, drop_last=True",
    ),
    "shuffled": (
        "PDR110",
        loader("Images([]), shuffle=False"),
        "shuffle=False",
        "shuffle=True",
    ),
    "shuffled without a sampler": (
        "PDR110",
        "def main(net, many):\n"
        "    sampler = DistributedSampler(Images([]), shuffle=False)"
        " if many else None\n"
        "    loader = DataLoader(Images([]), sampler=sampler)\n" + TRAIN,
        "sampler=sampler",
        "sampler=sampler, shuffle=sampler is None",
    ),
    "in memory": (
        "PDR111",
        loader("TensorDataset(a), num_workers=2, prefetch_factor=4, timeout=9"),
        "num_workers=2, prefetch_factor=4, timeout=9",
        "num_workers=0, prefetch_factor=None, timeout=0",
    ),
    "a stream": ("PDR112", loader("Stream(), 4, shuffle=True"), ", shuffle=True", ""),
    "a sampled stream": (
        "PDR112",
        loader("Stream(), sampler=torch.utils.data.SequentialSampler(a)"),
        ", sampler=torch.utils.data.SequentialSampler(a)",
        "",
    ),
    "all of the evaluation": (
        "PDR113",
        "val_loader = DataLoader(Images([]), 4, drop_last=True)\n",
        ", drop_last=True",
        "",
    ),
}
EDITS = LOADER_EDITS | TRAINING_EDITS


@pytest.mark.parametrize("name", EDITS)
def test_cured(mend: Mend, name: str) -> None:
    select, code, old, new = EDITS[name]
    before = HEAD + code
    assert before.count(old) == 1

    outcome = run(mend, code, select)

    (changed,) = outcome.files.values()
    assert changed.decode() == before.replace(old, new)
    assert not outcome.refused
    ast.parse(changed)
