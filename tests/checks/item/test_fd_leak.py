"""PDR209: files are opened and not closed."""

from pipedoctor_checks.item.fd_leak import fd_leak
from tests.checks.code_samples import frames, make_tests

SILENT = {
    "with": frames("with open(self.files[index]) as file:\n    x = file.read()"),
    "closed": frames("file = open(index)\nx = file.read()\nfile.close()"),
    "handed on": frames("file = open(index)\nx = Reader(file)"),
    "read row by row": frames("import csv\nfile = open(index)\nx = csv.reader(file)"),
    "returned": frames("file = open(index)\nreturn file"),
    "returned among others": frames("file = open(index)\nreturn file, 1"),
    "read by what is returned": frames("file = open(index)\nreturn lambda: file.read()"),
    "read by a generator": frames("file = open(index)\nreturn (x for x in file)"),
    "of a descriptor": frames("file = os.open(index, 0)\nos.close(file)"),
}
SPEAKS = {
    "left open": frames("file = open(index)\nx = file.read()"),
    "read in the return": frames("file = open(index)\nreturn file.read()"),
    "read deep in the return": frames(
        "file = open(index)\nreturn [torch.tensor(parse(file.read())), index]"
    ),
    "read where it is opened": frames("return open(self.files[index]).read()"),
    "parsed where it is opened": frames("x = parse(open(index).readline().strip())"),
    "read by a library": frames("file = open(index)\nx = pickle.load(file)"),
    "a descriptor": frames("file = os.open(index, 0)\nx = 1"),
}
test_silent, test_speaks = make_tests(fd_leak, SILENT, SPEAKS)
