"""PDR601: old names of mixed precision."""

import pytest

from pipedoctor_checks.compat.cuda_amp import cuda_amp
from tests.checks.code_samples import find, make_tests

IMPORT_FALLBACK = """
try:
    from {new} import GradScaler
except ImportError:
    from torch.cuda.amp import GradScaler
scaler = GradScaler()
"""
AMP = "scaler = {}torch.cuda.amp.GradScaler()\n"
SILENT = {
    "the new name": "torch.amp.autocast('cuda')\n",
    "only for old versions": AMP.format("torch.amp.GradScaler('cuda') if NEW else "),
    "in the other branch": "if NEW:\n    from torch.amp import GradScaler\n"
    "else:\n    from torch.cuda.amp import GradScaler\nscaler = GradScaler()\n",
    "where the import fails": "try:\n    from torch.amp import autocast\n"
    "except ImportError:\n    from torch.cuda.amp import autocast\n",
    "around a function of old versions": "if NEW:\n    forward = None\nelse:\n"
    "    @torch.cuda.amp.custom_fwd\n    def forward(ctx, rows): ...\n",
    "after the new one has returned": "def scaler():\n    if NEW:\n"
    "        return torch.amp.GradScaler('cuda')\n"
    "    return torch.cuda.amp.GradScaler()\n",
}
SPEAKS = {
    "called": "torch.cuda.amp.autocast()\n",
    "for old and new versions": AMP.format(""),
    "another choice": AMP.format("None if plain else "),
    "where the call fails": "try:\n    scaler = torch.amp.GradScaler('cuda')\n"
    "except TypeError:\n    " + AMP.format(""),
    "around a function": "@torch.cuda.amp.custom_fwd\ndef forward(ctx, rows): ...\n",
    "around a method": "class Net:\n    @torch.cuda.amp.autocast()\n    def forward(self): ...\n",
    "in a handler of something else": "try:\n    work()\nexcept OSError:\n    " + AMP.format(""),
}
test_silent, test_speaks = make_tests(cuda_amp, SILENT, SPEAKS)


@pytest.mark.parametrize(("new", "found"), [("torch", 0), ("torch.amp", 0), ("mine", 1)])
def test_the_new_name_is_tried_first(new: str, found: int) -> None:
    assert bool(find(cuda_amp, IMPORT_FALLBACK.format(new=new))) == bool(found)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("autocast", "torch.amp.autocast('cuda')"),
        ("GradScaler", "torch.amp.GradScaler('cuda')"),
        ("custom_fwd", "torch.amp.custom_fwd(device_type='cuda')"),
    ],
)
def test_the_new_name_is_that_of_the_old_one(old: str, new: str) -> None:
    (finding,) = find(cuda_amp, f"made = torch.cuda.amp.{old}()\n")

    assert finding.remedies[0].snippet == new
