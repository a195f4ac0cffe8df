"""PDR904: are the transforms what takes the time?"""

from pipedoctor.check import Findings, check, in_code
from pipedoctor.facts import Pipeline
from pipedoctor_checks.bottlenecks._bottleneck_finding import match_bottleneck, report_bottleneck
from pipedoctor_checks.bottlenecks._garbage_collection import (
    advise_gc_freeze,
    cpu_counterfactual,
)
from pipedoctor_checks.bottlenecks._setting_advice import advise_setting


@check("PDR904", "Transforms take most of the CPU time")
def bottleneck_transform_cpu(pipeline: Pipeline, /) -> Findings:
    """
    See whether most of the CPU time of a sample is neither reading nor decoding.

    ## Why it hurts

    Augmentation on the CPU costs a core for each worker. On the device the same
    transforms work on whole batches, next to the model.

    ## How it is judged

    `check --measure TARGET` runs the loader: samples mostly compute, less than half of
    it in decoders, and no other cause explains it.

    If Python's garbage collector takes 15 % of it or more, the finding says so: code
    that creates many dicts and lists, for example from JSON, triggers it, and each time
    it scans every object that the process has loaded. `gc.freeze()` in `worker_init_fn`
    makes it skip them; a loader of JSON became three times as fast.

    ## Sources

    - https://docs.python.org/3/library/gc.html#gc.freeze
    - https://docs.pytorch.org/vision/stable/transforms.html#performance-considerations
    - https://docs.pytorch.org/vision/stable/auto_examples/transforms/plot_transforms_getting_started.html
    """
    found = match_bottleneck(pipeline, "transform-cpu")
    if found is None:
        return
    yield report_bottleneck(
        pipeline,
        found,
        *advise_gc_freeze(found),
        *advise_setting(pipeline),
        in_code(
            "Transform whole batches on the device",
            "batch = transforms(batch.to(device, non_blocking=True))",
        ),
        in_code("Precompute everything that is the same in every epoch"),
        counterfactual=cpu_counterfactual(found),
    )
