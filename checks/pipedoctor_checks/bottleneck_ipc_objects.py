"""PDR906: are batches of many small tensors handed over one by one?"""

from pipedoctor.check import Counterfactual, Findings, check
from pipedoctor.facts import Pipeline
from pipedoctor.remedy import in_code
from pipedoctor_checks._bottleneck import TUNED, cause, faster_setting, said

PACKED = Counterfactual(packed=True)


@check("PDR906", "Many small tensors are handed over one by one")
def bottleneck_ipc_objects(seen: Pipeline, /) -> Findings:
    """
    See whether handing batches over takes as long as making them, by their number.

    ## Why it hurts

    Every tensor of a batch has a file descriptor of its own, which the main process
    fetches from the worker: about 0.4 ms each, one after the other, and no number of
    workers helps. 224 small tensors took 84 ms, where making them took 0.5 ms.

    ## How it is judged

    `check --measure TARGET` runs the loader: sending and receiving take 45 % or more
    of the way of a batch, which has 16 tensors or more of less than 64 KiB each.

    ## Sources

    - https://docs.pytorch.org/docs/stable/multiprocessing.html#sharing-strategies
    - https://github.com/roboflow/rf-detr/pull/1399
    """
    found = cause(seen, "ipc-objects")
    if found is None:
        return
    faster = faster_setting(seen)
    yield said(
        seen,
        found,
        *faster,
        in_code(
            "Pack a batch into a few tensors in collate_fn: values and their lengths",
            "def collate(samples):\n"
            "    values = torch.cat(samples)\n"
            "    lengths = torch.tensor([len(s) for s in samples])\n"
            "    return values, lengths",
        ),
        counterfactual=TUNED if faster else PACKED,
    )
