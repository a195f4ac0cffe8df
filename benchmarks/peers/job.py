"""An ordinary loader, for the tools that ask for one."""

import torch  # noqa: TID253  (it is the job)
from torch.utils.data import DataLoader, TensorDataset  # noqa: TID253

images = torch.randn(200, 3, 32, 32)
labels = torch.arange(200) % 10
dataloader = DataLoader(TensorDataset(images, labels), batch_size=32, num_workers=2)
