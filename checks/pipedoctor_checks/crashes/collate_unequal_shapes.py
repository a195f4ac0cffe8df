"""PDR941: Samples of different shapes cannot be stacked."""

from pipedoctor.check import Remedy, in_code
from pipedoctor.facts.log import Log
from pipedoctor_checks.crashes._log_check import log_check

_PAD = """import torch
from torch.nn.utils.rnn import pad_sequence


def pad_batch(samples):
    inputs, targets = zip(*samples)
    return pad_sequence(inputs, batch_first=True), torch.tensor(targets)


DataLoader(..., collate_fn=pad_batch)"""
_PAD_LAST = """import torch


def pad_batch(samples):
    inputs, targets = zip(*samples)
    longest = max(x.shape[-1] for x in inputs)
    padded = [torch.nn.functional.pad(x, (0, longest - x.shape[-1])) for x in inputs]
    return torch.stack(padded), torch.tensor(targets)


DataLoader(..., collate_fn=pad_batch)"""
"""Where only the last axis differs: `pad_sequence` pads the first one."""
_IMAGE_AXES = 3
_COLOR_CHANNELS = ((3,), (4,))
_PAD_MONAI = in_code(
    "Pad the samples of a batch to the largest, with MONAI's own function",
    "from monai.data import pad_list_data_collate\n\n"
    "DataLoader(..., collate_fn=pad_list_data_collate)",
)


def _choose_remedies(log: Log) -> tuple[Remedy, ...]:
    """By the two shapes that the log names: channels, sides, or the length of a row."""
    if "of-monai" in log.find_ids("collate_unequal_shapes"):
        return (_PAD_MONAI,)
    shapes = [_read_shape(log, name) for name in ("first", "second")]
    first, second = shapes
    last = len(first) > 1 and first[:-1] == second[:-1]
    in_time = last and first[:1] not in _COLOR_CHANNELS  # rows of a spectrogram, of a signal
    if any(len(shape) == _IMAGE_AXES for shape in shapes) and not in_time:
        return _unify_images(*shapes)
    pad = in_code(
        "Pad the samples of a batch to the longest (dataset returns input, target)",
        _PAD_LAST if last else _PAD,
    )
    return (pad, *_unify_images((), ())) if not any(shapes) else (pad,)


def _read_shape(log: Log, name: str) -> tuple[int, ...]:
    text = log.find_value("collate_unequal_shapes", name)
    return tuple(int(part) for part in text.split(",") if part.strip().isdecimal())


def _unify_images(first: tuple[int, ...], second: tuple[int, ...]) -> tuple[Remedy, ...]:
    channels = in_code(
        "Give all images the same number of channels, where the dataset opens them",
        'Image.open(path).convert("RGB")',
    )
    sides = in_code(
        "Give all images the same size, last in the transforms",
        "transforms.Resize((224, 224))  # both sides: one number keeps the proportions",
    )
    if first[:1] == second[:1]:
        return (sides,)
    return (channels,) if first[1:] == second[1:] else (channels, sides)


@log_check(
    "PDR941",
    "Samples of different shapes cannot be stacked",
    summary="The samples of a batch have different shapes, and the default collate_fn stacks them",
    remedies=_choose_remedies,
)
def collate_unequal_shapes() -> None:
    """
    Find batches whose samples have different shapes.

    ## Why it hurts

    The default `collate_fn` stacks the samples of a batch, so they must all have the
    same shape.

    ## How it is judged

    Stacking failed in the loader. The same error in the model's code is a problem of
    that code.

    ## Sources

    - https://docs.pytorch.org/docs/stable/data.html
    - https://github.com/qubvel-org/segmentation_models.pytorch/issues/472
    """
