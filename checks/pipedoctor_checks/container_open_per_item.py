"""PDR208: is an archive or a database opened for every item?"""

from pipedoctor.check import Confidence, Findings, Severity, check
from pipedoctor.facts import Source
from pipedoctor.remedy import in_code
from pipedoctor_checks._code import at, by_class, spots


@check("PDR208", "A container is opened for every item")
def container_open_per_item(source: Source, /) -> Findings:
    """
    Look for HDF5, zip, tar and LMDB files that are opened again for every item.

    ## Why it hurts

    The index of the container is read each time. It is safe with workers, which a
    handle opened in `__init__` is not (PDR302): best is one handle for each worker.

    ## How it is judged

    The container is opened in code that runs for items, not only where no handle is
    there yet. Where each item has a container of its own, by the path that is opened,
    it is a note.

    ## Sources

    - https://docs.h5py.org/en/stable/high/file.html
    - https://docs.python.org/3/library/zipfile.html
    """
    events = [e for e in source.per_item("container-open") if not e.details.get("lazy")]
    for group in by_class(events):
        first = group[0]
        own = all(event.details.get("own") for event in group)
        many = in_code("Put many items into one, and open that once in each worker")
        yield at(
            spots(group),
            Severity.NOTE if own else Severity.SLOWS,
            f"{first.function} opens a container for every item",
            many
            if own
            else in_code(
                "Open it once in each worker",
                "if self._pid != os.getpid():\n"
                "    self._file, self._pid = h5py.File(self.path), os.getpid()",
            ),
            confidence=Confidence.LIKELY,
            calls=sorted({event.name for event in group}),
            function=first.function,
            dataset=first.details.get("dataset", ""),
        )
