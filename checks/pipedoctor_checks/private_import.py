"""PDR604: are private parts of torch.utils.data imported?"""

from pipedoctor.check import Findings, Severity, check
from pipedoctor.edits import every, replaced
from pipedoctor.facts import Source, TorchBuild
from pipedoctor.remedy import in_code
from pipedoctor.versions import reaches
from pipedoctor_checks._code import at, by_class, spots
from pipedoctor_checks._start import least_torch

_PUBLIC = {"default_collate", "default_convert", "get_worker_info"}


@check("PDR604", "Private parts of torch are imported")
def private_import(source: Source, torch: TorchBuild | None, /) -> Findings:
    """
    Look for private names of `torch.utils.data`.

    ## Why it hurts

    They change without notice from one torch to the next.

    ## How it is judged

    A module or a name that begins with an underscore is imported. Many have a public
    name: `torch.utils.data.default_collate`.

    ## Sources

    - https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.default_collate
    """
    least = least_torch(source, torch)[0] or "0"
    events = source.of("private-import")
    public = [e for e in events if e.name.rpartition(".")[2] in _PUBLIC]
    others = [e for e in events if e not in public]
    for group in (*by_class(public), *by_class(others)):
        yield at(
            spots(group),
            Severity.NOTE,
            f"{group[0].name} is private to torch",
            in_code(
                "Import the public name",
                "from torch.utils.data import default_collate, get_worker_info",
                edits=every(replaced(e, {"module": "torch.utils.data"}) for e in group),
                unsafe="" if reaches(least, "1.11") else "needs torch 1.11 or newer",
            )
            if group[0] in public
            else in_code("Do without it, or test it with each torch: none is public"),
            names=sorted({event.name for event in group}),
        )
