"""PDR903: is decoding what takes the time?"""

from pipedoctor.check import Findings, Lasts, Remedy, check, in_code
from pipedoctor.facts import Pipeline
from pipedoctor_checks.bottlenecks._bottleneck_finding import match_bottleneck, report_bottleneck
from pipedoctor_checks.bottlenecks._garbage_collection import (
    advise_gc_freeze,
    cpu_counterfactual,
)
from pipedoctor_checks.bottlenecks._setting_advice import advise_setting


@check("PDR903", "Decoding takes most of the CPU time", after=("PDR853",))
def bottleneck_decode_cpu(pipeline: Pipeline, /) -> Findings:
    """
    See whether most of the CPU time of a sample is spent in decoders.

    ## Why it hurts

    Each decoding worker needs its own CPU. When all CPUs decode, only cheaper decoding
    helps: another library, smaller images, or storing the decoded pixels.

    ## How it is judged

    `check --measure TARGET` runs the loader and traces the functions in which its
    samples spend their time: half or more of the CPU time is decoding.

    If Python's garbage collector takes 15 % of it or more, the finding says so: code
    that creates many dicts and lists, for example from JSON, triggers it, and each time
    it scans every object that the process has loaded. `gc.freeze()` in `worker_init_fn`
    makes it skip them; a loader of JSON became three times as fast.

    ## Sources

    - https://docs.python.org/3/library/gc.html#gc.freeze
    - https://docs.pytorch.org/vision/stable/io.html
    - https://libjpeg-turbo.org/About/Performance
    """
    found = match_bottleneck(pipeline, "decode-cpu")
    if found is None:
        return
    yield report_bottleneck(
        pipeline,
        found,
        *advise_gc_freeze(found),
        *advise_setting(pipeline),
        Remedy(
            title="Measure which installed library decodes your images fastest",
            argv=("pipedoctor", "bench", "decode"),
            lasts=Lasts.PROCESS,
            advice=True,
        ),
        in_code("Decode once and store the pixels, or store images at the size used"),
        counterfactual=cpu_counterfactual(found),
    )
