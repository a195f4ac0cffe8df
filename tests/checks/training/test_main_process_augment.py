"""PDR406: batches are augmented between loader and GPU."""

from pipedoctor_checks.training.main_process_augment import main_process_augment
from tests.checks.code_samples import GPU_STEP, batch_loop, make_tests

SILENT = {
    "results": batch_loop(GPU_STEP + "z = loss.detach().cpu().numpy()"),
    "not back again": batch_loop("z = x.numpy()"),
}
SPEAKS = {"there and back": batch_loop("x = x.numpy()\nx = turn(x)\nx = torch.Tensor(x)\nx.cuda()")}
test_silent, test_speaks = make_tests(main_process_augment, SILENT, SPEAKS)
