"""PDR206: a folder is listed for every item."""

from pipedoctor_checks.item.dir_scan_per_item import dir_scan_per_item
from tests.checks.code_samples import frames, make_tests

LISTING = """
class Frames(Dataset):
    def __len__(self):
        return 9
    def __getitem__(self, index):
        return frames(self.clips[index])

def listed(folder):
    return sorted(os.listdir(folder))

def frames(clip):
    {test}
        clip = listed(clip)
    return [cv2.imread(one) for one in clip]
"""
SILENT = {
    "once": frames(init="self.names = os.listdir(files)"),
    "in a function for __init__": frames(init="self.names = names(files)")
    + "\ndef names(x):\n    return os.listdir(x)\n",
    "only for debugging": frames("if self.debug:\n    x = os.listdir('x')"),
    "only for a name": LISTING.format(test="if isinstance(clip, str):"),
}
SPEAKS = {
    "listed": frames("x = os.listdir('x')"),
    "for debugging, which is on": frames(
        "if self.debug:\n    x = os.listdir('x')", init="self.debug = True"
    ),
    "where nobody debugs": frames("if not self.debug:\n    x = os.listdir('x')"),
    "matched": frames("x = list(self.folder.glob('*.png'))"),
    "always": LISTING.format(test="if clip:"),
}
test_silent, test_speaks = make_tests(dir_scan_per_item, SILENT, SPEAKS)
