"""PDR208: is an archive or a database opened for every item?"""

from pipedoctor.check import Confidence, Counterfactual, Findings, Severity, check
from pipedoctor.facts import DataSets, Pipeline, Source
from pipedoctor.remedy import in_code
from pipedoctor_checks._code import at, by_class, spots
from pipedoctor_checks._reopened import Repeats, kept_open, repeats

ONCE = Counterfactual(opened=1.0)


@check("PDR208", "A container is opened for every item")
def container_open_per_item(
    source: Source,
    datasets: DataSets | None,
    seen: Pipeline | None,
    /,
    *,
    handles: int = 128,
) -> Findings:
    """
    Look for HDF5, zip, tar and LMDB files that are opened again for every item.

    ## Why it hurts

    The index of the container is read each time. It is safe with workers, which a
    handle opened in `__init__` is not (PDR302): best is one handle for each worker.

    ## How it is judged

    The container is opened in code that runs for items, not only where no handle is
    there yet. Where each item has a container of its own, by the path that is opened,
    it is a note, unless `--data DIR` and `check --measure TARGET` tell that there are
    more samples in an epoch than containers: then each of them is opened many times,
    and a worker that keeps the last of them open (`handles` at most) finds most of
    them open. What opening took of the time of fetching was seen when the target was
    measured, and is what can be saved.

    ## Sources

    - https://docs.h5py.org/en/stable/high/file.html
    - https://docs.python.org/3/library/zipfile.html
    - https://docs.python.org/3/library/functools.html#functools.lru_cache
    """
    again = repeats(datasets, seen, handles)
    events = [e for e in source.per_item("container-open") if not e.details.get("lazy")]
    for group in by_class(events):
        first = group[0]
        own = all(event.details.get("own") for event in group)
        many = again if own else None
        yield at(
            spots(group),
            Severity.NOTE if own and not many else Severity.SLOWS,
            f"{first.function} opens a container for every item{_though(many)}",
            kept_open(many.keep, first.name) if many else _ONE[own],
            confidence=Confidence.LIKELY,
            counterfactual=many.spared if many else None if own else ONCE,
            calls=sorted({event.name for event in group}),
            function=first.function,
            dataset=first.details.get("dataset", ""),
            **(many.evidence if many else {}),
        )


def _though(many: Repeats | None) -> str:
    if many is None:
        return ""
    return f", though {many.containers} of them hold {many.samples} samples"


_ONE = {
    True: in_code("Put many items into one, and open that once in each worker"),
    False: in_code(
        "Open it once in each worker",
        "if self._pid != os.getpid():\n"
        "    self._file, self._pid = h5py.File(self.path), os.getpid()",
    ),
}
