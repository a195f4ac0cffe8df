"""PDR406: is a batch augmented in the training process?"""

from pipedoctor.check import Confidence, Findings, Severity, check, in_code
from pipedoctor.facts import Source
from pipedoctor.facts.code_events.training import HostArray
from pipedoctor_checks._shared.code_finding import make_code_finding
from pipedoctor_checks._shared.training_loop import find_loop, is_demo_loop, is_occasional


@check("PDR406", "Batches are augmented in the training process", subject="loop", merges=True)
def main_process_augment(source: Source, /) -> Findings:
    """
    Look for batches that are augmented in the loop, as arrays or by transforms.

    ## Why it hurts

    Work that workers could do in parallel with training happens between two steps, in
    the process that feeds the GPU.

    ## How it is judged

    In the loop, a batch is converted to an array with `.numpy()` before it is on the
    device, and later converted back to a tensor; or it is given to a transform of
    torchvision, kornia or albumentations before. A part of the array is not a change of it.
    Functions that draw pictures, loops that only show a model, and a single evaluation, which
    may flip or scale on purpose, are not reported.

    ## Bad example

    ```python
    for images in loader:
        images = images.numpy()
        images = np.flip(images, axis=3).copy()
        images = torch.from_numpy(images)
        loss = model(images.to("cuda"))
        loss.backward()
    ```

    ## Good example

    ```python
    for images in loader:
        images = images.to("cuda").flip(3)
        loss = model(images)
        loss.backward()
    ```

    ## Sources

    - https://docs.pytorch.org/docs/stable/data.html#multi-process-data-loading
    """
    for event in source.select_events(HostArray):
        loop = find_loop(source, event)
        once = loop is not None and loop.role == "eval" and not loop.repeats
        if loop is None or once or is_demo_loop(loop):
            continue
        if event.details.again and not is_occasional(event):
            yield make_code_finding(
                [event.at],
                Severity.SLOWS,
                f"The loop in {loop.function} changes batches in the training process",
                in_code("Move it to __getitem__ or collate_fn, or do it on the device"),
                confidence=Confidence.LIKELY,
                call=event.name,
            )
