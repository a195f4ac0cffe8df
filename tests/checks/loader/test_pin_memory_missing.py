"""PDR103: batches are copied to the GPU from pageable memory."""

import pytest

from pipedoctor.check import Severity
from pipedoctor_checks.loader.pin_memory_missing import pin_memory_missing
from tests.checks.code_samples import (
    GPU_COLLATE,
    MODEL_PARSE,
    TRAIN_LOOP,
    cache_dataset,
    find,
    loader_call,
    make_tests,
    model_loop,
)
from tests.checks.image_samples import IMAGE_EPOCHS, IMAGES, PHOTOS, image_training

GENERATOR = """
def groups(rows):
    for row in rows:
        yield row

class Feed:
    def __init__(self, data):
        self.loader = DataLoader(data, {given})
    def __iter__(self):
        for batch in self.loader:
            images = [image for image in batch]
            yield from self.made(images)
    def made(self, images):
        for part in groups(images):
            pieces = groups(part)
            pieces = [piece.to(self.device) for piece in pieces]
            yield pieces
"""
TWO_LOADERS = (
    cache_dataset("return Image.open(self.path)")
    + """
train_loader = DataLoader(Rows(8), num_workers=2)
val_loader = DataLoader(Rows(9), num_workers=2)

def evaluate():
    for x in val_loader:
        net(x.cuda())
"""
)
TRAIN_LOADER_LOOP = "\nfor x in train_loader:\n    net(x.cuda()).backward()\n"
TEST = "@torch.no_grad()\ndef test():\n    for x in loader:\n        net(x.cuda())\n"
SILENT = {
    "in a single evaluation, without workers": image_training("Images()", f"{TEST}test()\n"),
    "pinned": loader_call("Images(), pin_memory=True", TRAIN_LOOP),
    "on the CPU": loader_call("Images()", TRAIN_LOOP.replace("x.to(device)", "x.float()")),
    "nobody knows": loader_call("Images(), pin_memory=args.pin", TRAIN_LOOP),
    "through a dictionary": loader_call("Images(), **args", TRAIN_LOOP),
    "only a type": loader_call("Images()", TRAIN_LOOP.replace("device", "torch.float16")),
    "back to the host": loader_call("Images()", TRAIN_LOOP.replace("device", "self.cpu_dev")),
    "to a named host": loader_call(
        "Images()", TRAIN_LOOP.replace("device", "device=torch.device('cpu')")
    ),
    "to no device": loader_call("Images()", TRAIN_LOOP.replace("device", "None")),
    "pinned, and copied by a function": MODEL_PARSE.format(how=True)
    + model_loop("net.parse(batch)", "pin_memory=True"),
    "on the GPU already": loader_call("Images(), collate_fn=collate", TRAIN_LOOP, GPU_COLLATE),
    "items are made on the GPU": loader_call("Images()", TRAIN_LOOP).replace(
        "Image.open(self.files[index])", "ToTensor()(Image.open(self.files[index])).cuda()"
    ),
    "not the batch": MODEL_PARSE.format(how=True) + model_loop("load()"),
    "starred": MODEL_PARSE.format(how=True) + model_loop("net.parse(*batch)"),
    "nobody knows what is loaded": "loader = DataLoader(rows)\n"
    "for x in loader:\n    net(x.cuda()).backward()\n",
    "no workers, on purpose": image_training("Images(), num_workers=0"),
    "of another type on the host": loader_call(
        "Images()", TRAIN_LOOP.replace("x = x.to", "x = x.type(torch.FloatTensor).to")
    ),
    "of another type on the host, by its name": loader_call(
        "Images()", TRAIN_LOOP.replace("x = x.to", "x = x.float()\n            x = x.to")
    ),
    "the default of an option": IMAGES + "def build(pin=False):\n"
    "    return DataLoader(Images(), num_workers=2, pin_memory=pin)\n"
    "loader = build()\n" + IMAGE_EPOCHS,
}
SPEAKS = {
    "in the evaluation of each epoch, without workers": image_training(
        "Images()", f"{TEST}for epoch in range(9):\n    test()\n"
    ),
    "not given": loader_call("Images()", TRAIN_LOOP),
    "False": loader_call("Images(), pin_memory=False", TRAIN_LOOP),
    "another's batches are on the GPU": loader_call(
        "Images(), collate_fn=collate_on_host",
        TRAIN_LOOP,
        GPU_COLLATE + "other = DataLoader(Memory(), collate_fn=collate)\n",
    ),
    "by keyword": loader_call("Images()", TRAIN_LOOP.replace("device", "device=dev")),
    "where there is a GPU": loader_call(
        "Images()", TRAIN_LOOP.replace("device", "'cuda' if args.gpu else 'cpu'")
    ),
    "in another function": loader_call("Images()", "\n    train(loader)\n")
    + "\ndef train(batches):\n    for x in batches:\n        x.cuda()\n",
    "copied by a function of a function": MODEL_PARSE.format(how=True)
    + model_loop("net.parse(batch)"),
    "through a generator": GENERATOR.format(given="num_workers=2"),
    "no workers, nor a word of it": image_training("Images()"),
}
test_silent, test_speaks = make_tests(pin_memory_missing, SILENT, SPEAKS)
GRADED = {
    "no workers": (image_training("Images()"), Severity.NOTE),
    "workers": (image_training("Images(), num_workers=2"), Severity.SLOWS),
}


@pytest.mark.parametrize(("code", "severity"), GRADED.values(), ids=GRADED)
def test_severity(code: str, severity: Severity) -> None:
    (finding,) = find(pin_memory_missing, code)

    assert finding.severity is severity


@pytest.mark.parametrize(
    ("step", "found"), [("net(x.to(device))", 0), ("net(x.to(device)).backward()", 1)]
)
def test_pinning_ahead_needs_somebody_who_does(step: str, found: int) -> None:
    code = PHOTOS.format(kept="pass", first="pass")
    code += f"def evaluate(device):\n    for x in DataLoader(Photos(9)):\n        {step}\n"

    assert len(find(pin_memory_missing, code)) == found


@pytest.mark.parametrize(
    ("around", "severity"),
    [
        ("with torch.no_grad():", "note"),
        ("with torch.inference_mode():", "note"),
        ("with timer:", "slows"),
    ],
)
def test_without_gradients_it_evaluates(around: str, severity: str) -> None:
    code = "loader = DataLoader(rows, num_workers=2)\ndef score(net):\n"
    code += f"    {around}\n        for x in loader:\n            net(x.cuda())\n"

    (finding,) = find(pin_memory_missing, code)

    assert finding.severity is Severity[severity.upper()]


@pytest.mark.parametrize(
    ("code", "severity", "others"),
    [
        (TWO_LOADERS + "evaluate()\n", "note", 0),
        (TWO_LOADERS + "for epoch in range(9):\n    evaluate()\n", "slows", 0),
        (TWO_LOADERS + "evaluate()\n" + TRAIN_LOADER_LOOP, "slows", 1),
    ],
)
def test_one_pass_of_an_evaluation(code: str, severity: str, others: int) -> None:
    (finding,) = find(pin_memory_missing, code)

    assert finding.severity is Severity[severity.upper()]
    assert len(finding.also_at) == others
