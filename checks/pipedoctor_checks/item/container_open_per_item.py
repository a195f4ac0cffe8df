"""PDR208: is an archive or a database opened for every item?"""

from pipedoctor.check import (
    Confidence,
    Counterfactual,
    Findings,
    Remedy,
    Severity,
    check,
    in_code,
)
from pipedoctor.facts import DataSets, Pipeline, Source
from pipedoctor.facts.code_events.item import ContainerOpening
from pipedoctor.facts.source import Event
from pipedoctor_checks._shared.code_finding import (
    group_by_class,
    list_spots,
    make_code_finding,
)
from pipedoctor_checks._shared.own_names import choose_attribute, choose_name, open_in_worker
from pipedoctor_checks.item._reopened_container import (
    ContainerReopens,
    cache_handles,
    count_reopens,
)

SINGLE_OPEN = Counterfactual(opened=1.0)


@check("PDR208", "A container is opened for every item", subject="item", merges=True)
def container_open_per_item(
    source: Source,
    datasets: DataSets | None,
    pipeline: Pipeline | None,
    /,
    *,
    handles: int = 128,
) -> Findings:
    """
    Look for HDF5, zip, tar and LMDB files that are opened again for every item.

    ## Why it hurts

    The index of the container is read each time. This is safe with workers, unlike a
    handle opened in `__init__` (PDR302), but one handle per worker is best.

    ## How it is judged

    The container is opened in code that runs for items, not only if no handle exists
    yet. If each item has its own container, judging by the path that is opened, it is a
    note (and nothing where all of it is read: then the file is the item), unless
    `--data DIR` and `check --measure TARGET` show that an epoch has more
    samples than containers: then each container is opened many times, and a worker that
    keeps the most recent ones open (`handles` at most) finds most of them open. The
    share of the fetch time spent on opening was measured with the target, and is what
    can be saved.

    ## Bad example

    ```python
    class Images(Dataset):
        def __getitem__(self, index):
            with h5py.File("train.h5") as file:
                return file["images"][index]
    ```

    ## Good example

    ```python
    class Images(Dataset):
        def __init__(self, files):
            self.file = None

        def __getitem__(self, index):
            if self.file is None:
                self.file = h5py.File("train.h5")
            return self.file["images"][index]
    ```

    ## Sources

    - https://docs.h5py.org/en/stable/high/file.html
    - https://docs.python.org/3/library/zipfile.html
    - https://docs.python.org/3/library/functools.html#functools.lru_cache
    """
    again = count_reopens(datasets, pipeline, handles)
    events = [e for e in source.select_item_events(ContainerOpening) if not e.details.lazy]
    for group in group_by_class(events):
        first = group[0]
        own = all(event.details.own for event in group)
        many = again if own else None
        yield make_code_finding(
            list_spots(group),
            Severity.NOTE if own and not many else Severity.SLOWS,
            f"{first.function} opens a container for every item{_describe_containers(many)}",
            cache_handles(many.keep, first.name) if many else _open_once(first),
            confidence=Confidence.LIKELY,
            counterfactual=many.counterfactual if many else None if own else SINGLE_OPEN,
            calls=sorted({event.name for event in group}),
            function=first.function,
            dataset=first.dataset,
            **(many.evidence if many else {}),
        )


def _describe_containers(many: ContainerReopens | None) -> str:
    if many is None:
        return ""
    return f", although {many.containers} of them hold {many.samples} samples"


def _open_once(event: Event[ContainerOpening]) -> Remedy:
    if event.details.own:
        return in_code("Pack many items into one container and open it once per worker")
    attribute = choose_attribute(choose_name(event.details.kept, "file"), "self.file")
    opening = event.details.text or f"{event.name}(self.path)"
    return in_code("Open it once per worker", open_in_worker(attribute, opening))
