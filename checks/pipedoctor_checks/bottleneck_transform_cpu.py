"""PDR904: are the transforms what takes the time?"""

from pipedoctor.check import Findings, check
from pipedoctor.facts import Pipeline
from pipedoctor.remedy import in_code
from pipedoctor_checks._bottleneck import TUNED, cause, faster_setting, said


@check("PDR904", "Transforms take the time")
def bottleneck_transform_cpu(seen: Pipeline, /) -> Findings:
    """
    See whether most of the CPU time of a sample is neither reading nor decoding.

    ## Why it hurts

    Augmentation on the CPU costs a core for each worker. On the device the same
    transforms work on whole batches, next to the model.

    ## How it is judged

    `check --measure TARGET` runs the loader: samples mostly compute, less than half of
    it in decoders, and no other cause explains it.

    ## Sources

    - https://docs.pytorch.org/vision/stable/transforms.html#performance-considerations
    - https://docs.pytorch.org/vision/stable/auto_examples/transforms/plot_transforms_getting_started.html
    """
    found = cause(seen, "transform-cpu")
    if found is None:
        return
    yield said(
        seen,
        found,
        *faster_setting(seen),
        in_code(
            "Transform whole batches on the device",
            "batch = transforms(batch.to(device, non_blocking=True))",
        ),
        in_code("Do what is the same in every epoch once, before the training"),
        counterfactual=TUNED,
    )
