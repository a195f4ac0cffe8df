"""PDR906: are batches of many small tensors handed over one by one?"""

from pipedoctor.check import Counterfactual, Findings, check, in_code
from pipedoctor.facts import Pipeline
from pipedoctor_checks.bottlenecks._bottleneck_finding import match_bottleneck, report_bottleneck
from pipedoctor_checks.bottlenecks._setting_advice import TUNED_SETTING, advise_setting

PACKED_BATCHES = Counterfactual(packed=True)


@check("PDR906", "Many small tensors are transferred one by one")
def bottleneck_ipc_objects(pipeline: Pipeline, /) -> Findings:
    """
    See whether transferring batches takes as long as producing them, by their number.

    ## Why it hurts

    Every tensor of a batch has its own file descriptor, which the main process fetches
    from the worker: about 0.4 ms each, one after the other, and more workers do not
    help. 224 small tensors took 84 ms, while producing them took 0.5 ms.

    ## How it is judged

    `check --measure TARGET` runs the loader: sending and receiving take 45 % or more of
    the time from the samples to the consumer, and a batch has 16 tensors or more of
    less than 64 KiB each.

    ## Sources

    - https://docs.pytorch.org/docs/stable/multiprocessing.html#sharing-strategies
    - https://github.com/roboflow/rf-detr/pull/1399
    """
    found = match_bottleneck(pipeline, "ipc-objects")
    if found is None:
        return
    faster = advise_setting(pipeline)
    yield report_bottleneck(
        pipeline,
        found,
        *faster,
        in_code(
            "Pack each batch into a few tensors in collate_fn: values and their lengths",
            "def collate(samples):\n"
            "    values = torch.cat(samples)\n"
            "    lengths = torch.tensor([len(s) for s in samples])\n"
            "    return values, lengths",
        ),
        counterfactual=TUNED_SETTING if faster else PACKED_BATCHES,
    )
