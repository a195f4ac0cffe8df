"""PDR904: are the transforms what takes the time?"""

from pipedoctor.check import Findings, check
from pipedoctor.facts import Pipeline
from pipedoctor.remedy import in_code
from pipedoctor_checks._bottleneck import cause, faster_setting, said
from pipedoctor_checks._collector import computed, uncollected


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

    Where Python's garbage collector takes 15 % of it or more, that is said: code that
    makes many dicts and lists, as JSON does, wakes it, and each time it looks through
    all that the process has ever loaded. `gc.freeze()` in `worker_init_fn` lets it skip
    that; a loader of JSON became three times as fast.

    ## Sources

    - https://docs.python.org/3/library/gc.html#gc.freeze
    - https://docs.pytorch.org/vision/stable/transforms.html#performance-considerations
    - https://docs.pytorch.org/vision/stable/auto_examples/transforms/plot_transforms_getting_started.html
    """
    found = cause(seen, "transform-cpu")
    if found is None:
        return
    yield said(
        seen,
        found,
        *uncollected(found),
        *faster_setting(seen),
        in_code(
            "Transform whole batches on the device",
            "batch = transforms(batch.to(device, non_blocking=True))",
        ),
        in_code("Do what is the same in every epoch once, before the training"),
        counterfactual=computed(found),
    )
