"""PDR501: do workers share numpy's random numbers?"""

from pipedoctor.check import Confidence, Findings, Severity, check
from pipedoctor.edits import Edits, arguments, edit, every, needing
from pipedoctor.facts import Source, TorchBuild
from pipedoctor.facts.source import Event, LoaderCall
from pipedoctor.remedy import in_code
from pipedoctor.versions import reaches
from pipedoctor_checks._code import at, by_class, spots, together
from pipedoctor_checks._loader import may_have_workers
from pipedoctor_checks._start import least_torch

_SEEDER = "seed_numpy_in_worker"


@check("PDR501", "All workers draw the same random numbers")
def numpy_rng_unseeded(source: Source, torch: TorchBuild | None, /) -> Findings:
    """
    Look for numpy's global generator in code for items that no worker seeds.

    ## Why it hurts

    Below torch 1.9 every worker begins with the same state of `numpy.random`: they
    draw the same augmentations. From 1.9 on torch seeds it in each worker.

    ## How it is judged

    Code for items draws from `numpy.random`, and a loader with workers has no
    `worker_init_fn`, or one that does not seed numpy, and the data set seeds nothing
    by the number of its worker. The oldest torch that counts is that of the project's
    own files, or the installed one. Where all are new enough it is a note, and only
    where the project names an old torch; `random` and torch itself are always seeded.
    It is said once of a project.

    ## Sources

    - https://github.com/pytorch/pytorch/pull/56488
    - https://tanelp.github.io/posts/a-bug-that-plagues-thousands-of-open-source-ml-projects/
    - https://docs.pytorch.org/docs/stable/data.html#randomness-in-multi-process-data-loading
    """
    least, who = least_torch(source, torch)
    severity = _severity(torch)
    declared = source.torch.version if source.torch else ""
    if not declared or reaches(declared, "1.9"):
        return
    seeders = {e.function for e in source.of("worker-seed") if "numpy" in e.name}
    groups, unseeded = list[list[Event]](), list[LoaderCall]()
    real = [loader for loader in source.loaders if not loader.testing]
    for group in by_class(_draws(source)):
        loaders = [x for x in real if may_have_workers(x)]
        mine = [x for x in loaders if x.dataset and x.dataset.name == group[0].owner]
        bad = [x for x in mine or loaders if _unseeded(x, seeders)]
        if bad and (mine or len(bad) == len(loaders)):
            groups.append(group)
            unseeded.extend(x for x in bad if x not in unseeded)
    if groups:
        yield at(
            [*spots(e for group in groups for e in group), *(x.at for x in unseeded)],
            severity,
            f"{together(groups, 'draw')} from numpy; torch seeds it from 1.9 on",
            in_code(
                "Seed it in each worker, or require torch 1.9",
                "np.random.seed(torch.initial_seed() % 2**32)  # in worker_init_fn",
                edits=every(map(_seeding, unseeded)),
                unsafe="the installed torch seeds numpy itself, with other numbers"
                if severity is Severity.NOTE
                else "",
            ),
            confidence=Confidence.LIKELY,
            oldest_torch=f"{least} ({who})",
        )


def _draws(source: Source) -> list[Event]:
    """From numpy's generator, in data sets that do not seed it by their worker."""
    by_items = {
        e.details.get("dataset")
        for e in source.of("worker-seed")
        if e.item and "numpy" in e.name
    }
    return [
        e
        for e in source.per_item("draw")
        if e.name.startswith("numpy.") and e.details.get("dataset") not in by_items
    ]


def _severity(torch: TorchBuild | None) -> Severity:
    if torch is None:
        return Severity.RISKS
    return Severity.NOTE if reaches(torch.version, "1.9") else Severity.BREAKS


def _unseeded(loader: LoaderCall, seeders: set[str]) -> bool:
    given = loader.get("worker_init_fn")
    if given.how == "absent":
        return loader.complete
    return given.form == "function" and given.name.rpartition(".")[2] not in seeders


def _seeding(loader: LoaderCall) -> Edits:
    """A function that seeds numpy, and the loader that is given it."""
    call = loader.call
    words = arguments(loader, worker_init_fn=_SEEDER)
    given = loader.get("worker_init_fn").how != "absent" or loader.at.cell
    if call is None or call.above is None or given or not words:
        return ()
    if not {"numpy", "torch"} <= call.modules.keys():
        return ()
    numpy, torch = call.modules["numpy"], call.modules["torch"]
    body = f"{numpy}.random.seed({torch}.initial_seed() % 2**32)"
    made = f"def {_SEEDER}(worker_id):\n    {body}\n\n\n"
    edits = (edit(loader.at, call.above, made), *words)
    return needing(loader, edits, "numpy", "torch")
