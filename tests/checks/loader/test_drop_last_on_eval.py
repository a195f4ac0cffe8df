"""PDR113: the end of the evaluation data is never scored."""

from pipedoctor_checks.loader.drop_last_on_eval import drop_last_on_eval
from tests.checks.code_samples import TRAIN_LOOP, loader_call, make_tests


def weighted_evaluation(weights: str) -> str:
    return f"val_loader = DataLoader(rows, 4, sampler={weights}, drop_last=True)\n"


PARTS = (
    "loaders = {{part: DataLoader(rows[part], 4, drop_last={last}) for part in {parts}}}\n"
    "for part in {parts}:\n    for x in loaders[part]:\n        print(x)\n"
)
SILENT = {
    "parts that train": PARTS.format(last="True", parts="('train', 'train_more')"),
    "where it trains": PARTS.format(last="part == 'train'", parts="['train', 'val']"),
    "training": loader_call("Images(), 4, drop_last=True", TRAIN_LOOP),
    "kept": loader_call("Images(), 4").replace("loader", "val_loader"),
    "single samples": loader_call("Images(), batch_size=1, drop_last=True").replace(
        "loader", "val_loader"
    ),
    "for training, too": loader_call("Images(), 4, drop_last=True, shuffle=args.train").replace(
        "loader", "val_loader"
    ),
    "drawn by their weights": weighted_evaluation("WeightedRandomSampler(w, 9)"),
}
SPEAKS = {
    "for each part": PARTS.format(last="True", parts="['train', 'val']"),
    "in a loop": "for rows in (train_rows, test_rows):\n"
    "    loaders.append(DataLoader(rows, 4, shuffle=True, drop_last=True))\n",
    "dropped": loader_call("Images(), 4, drop_last=True").replace("loader", "val_loader"),
    "and shuffled": loader_call("Images(), 4, drop_last=True, shuffle=True").replace(
        "loader", "val_loader"
    ),
    "each once": weighted_evaluation("SequentialSampler(rows)"),
}
test_silent, test_speaks = make_tests(drop_last_on_eval, SILENT, SPEAKS)
