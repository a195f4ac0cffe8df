"""PDR413: the anomaly detection of autograd is left on."""

from pipedoctor.check import Confidence, Severity
from pipedoctor.facts import Facts
from pipedoctor_checks.training.anomaly_detection_on import anomaly_detection_on
from tests.checks.code_samples import Code, batch_loop, find_one, make_tests

SET = "torch.autograd.set_detect_anomaly"
CONTEXT = "torch.autograd.detect_anomaly()"
LIGHTNING = "import lightning as L\n"
SILENT: dict[str, Code] = {
    "off": f"{SET}(False)\n",
    "under a condition": f"if args.debug:\n    {SET}(True)\n",
    "behind an early return": "def watch():\n"
    f"    if not args.debug:\n        return\n    {SET}(True)\n",
    "behind an and": f"args.debug and {SET}(True)\n",
    "an option decides": f"{SET}(args.debug)\n",
    "an option, by keyword": f"{SET}(check_nan=True, mode=args.debug)\n",
    "where a step has failed": f"try:\n    train()\nexcept RuntimeError:\n    {SET}(True)\n",
    "a context that only some enter": f"with {CONTEXT} if debug else other():\n    train()\n",
    "a context that others enter": f"def watch():\n    return {CONTEXT}\n",
    "for a part": f"{SET}(True)\ntrain(3)\n{SET}(False)\n",
    "in a test": {"tests/test_net.py": f"import torch\n{SET}(True)\n"},
    "of another library": "import warp\nwarp.set_detect_anomaly(True)\n",
    "a Trainer as it is": f"{LIGHTNING}L.Trainer(max_epochs=9)\n",
    "of a Trainer an option": f"{LIGHTNING}L.Trainer(detect_anomaly=dev)\n",
    "a Trainer of one's own": "Trainer(detect_anomaly=True)\n",
}
SPEAKS = {
    "at import": f"{SET}(True)\n",
    "by keyword": f"{SET}(check_nan=True, mode=True)\n",
    "in the main guard": f"if __name__ == '__main__':\n    {SET}(True)\n",
    "behind another mode": "def main():\n"
    f"    if args.evaluate:\n        evaluate()\n        return\n    {SET}(True)\n    train()\n",
    "above an early return": f"def main():\n    {SET}(True)\n    if args.dry:\n        return\n",
    "behind a return of a branch": "def main():\n    if args.rows:\n"
    f"        if not rows:\n            return\n        load(rows)\n    {SET}(True)\n",
    "a context for each step": batch_loop(f"with {CONTEXT}:\n    net(x).backward()"),
    "the setter as a context": batch_loop(f"with {SET}(True):\n    net(x).backward()"),
    "by Lightning": f"{LIGHTNING}L.Trainer(detect_anomaly=True)\n",
    "by the old Lightning": "import pytorch_lightning as pl\npl.Trainer(detect_anomaly=True)\n",
}
test_silent, test_speaks = make_tests(anomaly_detection_on, SILENT, SPEAKS)


def test_what_it_says() -> None:
    finding = find_one(anomaly_detection_on, f"{SET}(check_nan=True, mode=True)\n")

    assert finding.severity is Severity.SLOWS
    assert finding.confidence is Confidence.LIKELY
    assert finding.summary == "Anomaly detection of autograd is on in every run"
    (edit,) = finding.remedies[0].edits
    assert (edit.column, edit.end_column, edit.replacement) == (56, 60, "False")


def test_what_no_edit_fits() -> None:
    finding = find_one(anomaly_detection_on, f"with {CONTEXT}:\n    train()\n")

    assert not finding.remedies[0].edits


def test_unknown_is_not_healthy() -> None:
    verdict = anomaly_detection_on.run(Facts(unknown={"source": "no code was given"}))

    assert verdict.skipped == "source: no code was given"
