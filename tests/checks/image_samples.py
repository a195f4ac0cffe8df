"""Code that trains on images, good and bad: what tests of several hazards begin with."""

PHOTOS = """
class Photos(Dataset):
    def __init__(self, files):
        self.files = files
        {kept}
    def __len__(self):
        return 9
    def __getitem__(self, index):
        {first}
        return Image.open(self.files[index])
    def grow(self, size):
        self.size = size
    def count(self):
        total = len(self.files)
        return total
"""
PHOTO_LOOP = """
def main(device="cuda"):
    loader = DataLoader({given})
    for epoch in range(9):
        {between}
        for x in loader:
            loss = net(x.to(device))
            loss.backward()
            {step}
"""


def photo_training(
    given: str = "Photos(files), num_workers=2",
    between: str = "pass",
    step: str = "pass",
    kept: str = "pass",
    first: str = "pass",
) -> str:
    photos = PHOTOS.format(kept=kept, first=first)
    return photos + PHOTO_LOOP.format(given=given, between=between, step=step)


IMAGES = """
class Images(Dataset):
    def __init__(self, files):
        self.files = files
    def __len__(self):
        return 9
    def __getitem__(self, index):
        return Image.open(self.files[index])
"""
IMAGE_EPOCHS = """
def main(args):
    for epoch in range(9):
        for x, y in loader:
            x = x.to(device)
            loss = net(x)
            loss.backward()
"""


def image_training(arguments: str, then: str = IMAGE_EPOCHS) -> str:
    return f"{IMAGES}\nloader = DataLoader({arguments})\n{then}"
