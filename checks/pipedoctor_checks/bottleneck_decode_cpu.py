"""PDR903: is decoding what takes the time?"""

from pipedoctor.check import Findings, check
from pipedoctor.facts import Pipeline
from pipedoctor.remedy import Lasts, Remedy, in_code
from pipedoctor_checks._bottleneck import cause, faster_setting, said
from pipedoctor_checks._collector import computed, uncollected


@check("PDR903", "Decoding takes the time", after=("PDR853",))
def bottleneck_decode_cpu(seen: Pipeline, /) -> Findings:
    """
    See whether most of the CPU time of a sample is spent in decoders.

    ## Why it hurts

    Workers that decode need a CPU each. When all CPUs decode, only cheaper decoding
    helps: another library, smaller images, or pixels that are kept.

    ## How it is judged

    `check --measure TARGET` runs the loader and traces which functions its samples
    spend their time in: half or more of the CPU time is decoding.

    Where Python's garbage collector takes 15 % of it or more, that is said: code that
    makes many dicts and lists, as JSON does, wakes it, and each time it looks through
    all that the process has ever loaded. `gc.freeze()` in `worker_init_fn` lets it skip
    that; a loader of JSON became three times as fast.

    ## Sources

    - https://docs.python.org/3/library/gc.html#gc.freeze
    - https://docs.pytorch.org/vision/stable/io.html
    - https://libjpeg-turbo.org/About/Performance
    """
    found = cause(seen, "decode-cpu")
    if found is None:
        return
    yield said(
        seen,
        found,
        *uncollected(found),
        *faster_setting(seen),
        Remedy(
            title="Measure which installed library decodes your images fastest",
            argv=("pipedoctor", "bench", "decode"),
            lasts=Lasts.PROCESS,
            advice=True,
        ),
        in_code("Decode once and keep the pixels, or store images of the size used"),
        counterfactual=computed(found),
    )
