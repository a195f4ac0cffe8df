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
FETCHING = """
class Frames(Dataset):
    def __getitem__(self, index):
        self.fetch()
        self.since += 1
        return cv2.imread(self.names[index])

    def fetch(self):
        if self.since {test}:
            return
        self.since = {reset}
        self.names = sorted(self.folder.glob('*.png')) + os.listdir('x')
"""
SILENT = {
    "the first time": frames("if not self.names:\n    self.names = list(self.folder.iterdir())"),
    "after so many items": FETCHING.format(test="< self.every", reset=0),
    "once": frames(init="self.names = os.listdir(files)"),
    "in a function for __init__": frames(init="self.names = names(files)")
    + "\ndef names(x):\n    return os.listdir(x)\n",
    "only for debugging": frames("if self.debug:\n    x = os.listdir('x')"),
    "only for a name": LISTING.format(test="if isinstance(clip, str):"),
}
SPEAKS = {
    "after so many items, of which nobody keeps count": FETCHING.format(
        test="< self.every", reset="self.now"
    ),
    "listed": frames("x = os.listdir('x')"),
    "for debugging, which is on": frames(
        "if self.debug:\n    x = os.listdir('x')", init="self.debug = True"
    ),
    "where nobody debugs": frames("if not self.debug:\n    x = os.listdir('x')"),
    "matched": frames("x = list(self.folder.glob('*.png'))"),
    "always": LISTING.format(test="if clip:"),
}
test_silent, test_speaks = make_tests(dir_scan_per_item, SILENT, SPEAKS)
