"""PDR505: is an epoch set on a dataset whose workers live on?"""

from pipedoctor.check import Confidence, Findings, Severity, check, in_code
from pipedoctor.facts import Source
from pipedoctor.facts.code_events.dataset import EpochUpdate
from pipedoctor.facts.source import Event
from pipedoctor_checks._shared.code_finding import make_code_finding
from pipedoctor_checks._shared.loader_calls import has_no_workers
from pipedoctor_checks._shared.own_names import choose_attribute, choose_expression


@check("PDR505", "Persistent workers never see a new epoch", subject="item")
def epoch_state_in_persistent_worker(source: Source, /) -> Findings:
    """
    Look for an epoch that is set on a dataset with persistent workers.

    ## Why it hurts

    Persistent workers hold a copy of the dataset from when they started: they saw three
    epochs as 0, 0, 0. Augmentation schedules and shuffling by epoch do not advance.

    ## How it is judged

    A plain attribute that items read is set in a loop over epochs, itself or by a method of
    the dataset (`dataset.close_mosaic()`), and a loader of this dataset has
    `persistent_workers=True`: of the same object, where the code shows which one it is. A
    shared tensor or Value is not reported.

    ## Bad example

    ```python
    class Curriculum(Dataset):
        def __init__(self):
            self.epoch = 0

        def __getitem__(self, index):
            return augment(self.files[index], strength=self.epoch)

    def train(model):
        dataset = Curriculum()
        loader = DataLoader(dataset, shuffle=True, num_workers=4, persistent_workers=True)
        for epoch in range(90):
            dataset.epoch = epoch
            for images in loader:
                model(images).backward()
    ```

    ## Good example

    ```python
    class Curriculum(Dataset):
        def __init__(self):
            self.epoch = torch.zeros(1).share_memory_()

        def __getitem__(self, index):
            return augment(self.files[index], strength=self.epoch.item())

    def train(model):
        dataset = Curriculum()
        loader = DataLoader(dataset, shuffle=True, num_workers=4, persistent_workers=True)
        for epoch in range(90):
            dataset.epoch.fill_(epoch)
            for images in loader:
                model(images).backward()
    ```

    ## Sources

    - https://github.com/pytorch/pytorch/issues/97326
    - https://github.com/huggingface/datasets/issues/6673
    """
    for event in source.select_events(EpochUpdate):
        name = str(event.dataset)
        kept = [
            x
            for number, x in enumerate(source.loaders)
            if x.dataset
            and _is_told(event, number)
            and x.dataset.name.rpartition(".")[2] == name
            and x.get("persistent_workers").value is True
            and not has_no_workers(x)
        ]
        if kept and event.details.repeats:
            there = kept[0].at
            yield make_code_finding(
                [event.at, there],
                Severity.BREAKS,
                f"{event.name} of {name} is {_when(event)}, but its workers keep the first value",
                in_code(
                    "Share the epoch with the workers",
                    _share(event),
                    kept="choose whether the epoch becomes a shared tensor or the workers"
                    " restart for each epoch",
                ),
                confidence=Confidence.LIKELY,
                loader=f"{there.path}:{there.line}",
            )


def _when(event: Event[EpochUpdate]) -> str:
    return "changed between epochs" if event.guards else "set for each epoch"


def _share(event: Event[EpochUpdate]) -> str:
    """A tensor in shared memory in place of the number: made, set, and read."""
    kept = choose_attribute(event.name, "self.epoch")
    target, value = event.details.target, event.details.value
    lines = [f"{kept} = torch.zeros(1, dtype=torch.int64).share_memory_()  # in __init__"]
    if target and choose_expression(value, ""):
        lines.append(f"{target}.fill_({value})  # in place of {target} = {value}")
    else:
        lines.append(f"# set it with {kept}.fill_(...)")
    return "\n".join([*lines, f"# read it with {kept}.item()"])


def _is_told(event: Event[EpochUpdate], loader: int) -> bool:
    """May this loader have the dataset that is changed, and not only one of its class?"""
    feeds = event.details.feeds
    return not isinstance(feeds, str) or str(loader) in feeds.split(",")
