"""PDR306: workers start without a main guard."""

from pipedoctor_checks.workers.main_guard import main_guard
from tests.checks.code_samples import TOP_LEVEL_LOOP, find, make_tests, rows_dataset

JUDGES = (
    rows_dataset()
    + "class Runner:\n    def evaluate(self):"
    + TOP_LEVEL_LOOP.replace("\n", "\n        ")
    + "\nclass Judge:\n    def evaluate(self):\n        return 3\n"
    "class Fast(Runner):\n    pass\n"
)
PASSES = (
    rows_dataset()
    + "\nfrom functools import partial\nloader = DataLoader(Rows(), num_workers=2)\n"
    + "def run(epoch, training):\n    for x in loader:\n        print(x)\n"
    + "train = partial(run, training=True)\n"
)
FITTED = (
    "import lightning as L\n"
    + rows_dataset()
    + "loader = DataLoader(Rows(), num_workers=2)\ntrainer = L.Trainer()\n"
)
SILENT = {
    "one batch of a function": FITTED + "def look():\n    return next(iter(loader))\n",
    "another function of a command line": "import fire\n"
    + rows_dataset()
    + "\ndef run():"
    + TOP_LEVEL_LOOP.replace("\n", "\n    ")
    + "\ndef show():\n    pass\nfire.Fire(show)\n",
    "a partial that nobody calls": PASSES,
    "fitted with other rows": FITTED + "trainer.fit(net, rows)\n",
    "another class has a method of that name": JUDGES + "judge = Judge()\njudge.evaluate()\n",
    "guarded": rows_dataset()
    + "\nif __name__ == '__main__':\n"
    + TOP_LEVEL_LOOP.replace("\n", "\n    "),
    "in a function": rows_dataset() + "\ndef run():" + TOP_LEVEL_LOOP.replace("\n", "\n    "),
    "only made": rows_dataset() + "\nloader = DataLoader(Rows(), num_workers=2)\n",
    "no workers": rows_dataset() + TOP_LEVEL_LOOP.replace("2", "0"),
}
SPEAKS = {
    "one batch to look at": FITTED + "images = next(iter(loader))\n",
    "by a command line": "import fire\n"
    + rows_dataset()
    + "\ndef run():"
    + TOP_LEVEL_LOOP.replace("\n", "\n    ")
    + "\nfire.Fire(run)\n",
    "by a partial": PASSES + "for epoch in range(9):\n    train(epoch)\n",
    "by a trainer": FITTED + "trainer.fit(net, loader)\n",
    "at the top": rows_dataset() + TOP_LEVEL_LOOP,
    "by a method of what is made": JUDGES + "judge = Fast()\njudge.evaluate()\n",
    "by a method of one of two": JUDGES
    + "judge = Judge()\nif slow:\n    judge = Runner()\njudge.evaluate()\n",
    "by a method of what another made": JUDGES + "judge = choose()\njudge.evaluate()\n",
    "by a call": rows_dataset()
    + "\ndef run():"
    + TOP_LEVEL_LOOP.replace("\n", "\n    ")
    + "\nrun()\n",
}
test_silent, test_speaks = make_tests(main_guard, SILENT, SPEAKS)


def test_a_script_that_other_files_work_for_is_named() -> None:
    model = (
        "from torch.utils.data import DataLoader\ndef train(data):\n"
        "    for rows in DataLoader(data, num_workers=8):\n        print(rows)\n"
    )

    (finding,) = find(
        main_guard,
        {"model.py": model, "run.py": "import model as M\nRATE = 0.1\nM.train(RATE)\n"},
    )

    assert finding.location is not None
    assert (finding.location.path, finding.location.line) == ("run.py", 3)


def test_the_loader_and_what_starts_its_workers_are_named() -> None:
    code = rows_dataset() + "\nloader = DataLoader(Rows(), num_workers=2)\nfor x in loader: x\n"

    (finding,) = find(main_guard, code)

    lines = [one.line for one in (finding.location, *finding.also_at) if one is not None]
    assert lines == [lines[0], lines[0] + 1]
