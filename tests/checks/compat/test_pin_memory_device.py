"""PDR606: an argument that torch ignores."""

from pipedoctor_checks.compat.pin_memory_device import pin_memory_device
from tests.checks.code_samples import loader_call, make_tests

SILENT = {
    "not given": loader_call("Images()"),
    "empty": loader_call("Images(), pin_memory_device=''"),
    "only where it is known": "more = {'pin_memory_device': name} if name else {}\n"
    "loader = DataLoader(data, **more)\n",
}
SPEAKS = {"given": loader_call("Images(), pin_memory_device='cuda'")}
test_silent, test_speaks = make_tests(pin_memory_device, SILENT, SPEAKS)
