"""PDR941: Samples of different shapes cannot be stacked."""

from pipedoctor.check import Findings, check
from pipedoctor.facts import Site
from pipedoctor.facts.log import Log
from pipedoctor.remedy import in_code
from pipedoctor_checks._told import told

_REMEDIES = (
    in_code(
        ("Resize or pad in the dataset, or put batches together yourself"),
        "DataLoader(..., collate_fn=pad_batch)",
    ),
)


@check("PDR941", "Samples of different shapes cannot be stacked")
def collate_unequal_shapes(log: Log, site: Site | None, /) -> Findings:
    """
    Find batches whose samples have different shapes.

    ## Why it hurts

    The default `collate_fn` stacks the samples of a batch, and so they must have
    one shape.

    ## How it is judged

    Stacking failed in the loader. The same error from the model's code is the
    code's own.

    ## Sources

    - https://docs.pytorch.org/docs/stable/data.html
    - https://github.com/qubvel-org/segmentation_models.pytorch/issues/472
    """
    yield from told(
        log,
        site,
        "collate_unequal_shapes",
        (
            "The samples of a batch have different shapes, and the default "
            "collate_fn stacks them"
        ),
        *_REMEDIES,
    )
