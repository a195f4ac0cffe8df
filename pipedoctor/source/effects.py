"""What code for items does: reads, parses, prints, draws at random, and so on."""

import ast
from typing import Any

from pipedoctor.source.project import last_name
from pipedoctor.source.record import Recorder
from pipedoctor.source.scope import Scope, Step, key_of
from pipedoctor.source.values import written

NAMED = {
    **dict.fromkeys(
        (
            "numpy.loadtxt",
            "numpy.genfromtxt",
            "pandas.read_csv",
            "pandas.read_json",
            "pandas.read_excel",
            "pandas.read_table",
            "json.load",
            "csv.reader",
            "csv.DictReader",
            "yaml.load",
            "yaml.safe_load",
            "xml.etree.ElementTree.parse",
            "lxml.etree.parse",
        ),
        "text-parse",
    ),
    **dict.fromkeys(
        (
            "pickle.load",
            "pickle.loads",
            "torch.load",
            "joblib.load",
            "dill.load",
            "cloudpickle.load",
            "pandas.read_pickle",
        ),
        "unpickle",
    ),
    **dict.fromkeys(
        (
            "os.listdir",
            "os.scandir",
            "os.walk",
            "glob.glob",
            "glob.iglob",
        ),
        "dir-scan",
    ),
    "time.sleep": "sleep",
    **dict.fromkeys(
        (
            "requests.get",
            "requests.post",
            "requests.request",
            "urllib.request.urlopen",
            "urllib.request.urlretrieve",
            "httpx.get",
        ),
        "network",
    ),
    **dict.fromkeys(
        (
            "h5py.File",
            "zipfile.ZipFile",
            "tarfile.open",
            "tarfile.TarFile",
            "lmdb.open",
            "netCDF4.Dataset",
            "tables.open_file",
        ),
        "container-open",
    ),
    **dict.fromkeys(
        (
            "subprocess.run",
            "subprocess.call",
            "subprocess.check_call",
            "subprocess.check_output",
            "subprocess.Popen",
            "subprocess.getoutput",
            "os.system",
            "os.popen",
        ),
        "subprocess",
    ),
    **dict.fromkeys(
        (
            "torchvision.transforms.Compose",
            "torchvision.transforms.v2.Compose",
            "torchvision.transforms.transforms.Compose",
            "albumentations.Compose",
            "imgaug.augmenters.Sequential",
            "monai.transforms.Compose",
        ),
        "transform-built",
    ),
    "PIL.Image.open": "image-open",
    "cv2.imread": "image-open",
    "cv2.imdecode": "image-open",
    "open": "open",
    "io.open": "open",
    "os.open": "open",
    "torchvision.io.read_image": "image-open",
    "torchvision.io.decode_image": "image-open",
    "numpy.load": "read",
    "torchaudio.load": "read",
    "librosa.load": "read",
    "soundfile.read": "read",
    "scipy.io.wavfile.read": "read",
}
"""Kinds of events by the full name of what is called."""
READING = {"text-parse", "unpickle", "dir-scan", "network", "container-open"} | {
    "image-open",
    "open",
    "read",
    "subprocess",
}
DRAWS = {
    "beta",
    "binomial",
    "choice",
    "exponential",
    "gamma",
    "laplace",
    "multivariate_normal",
    "normal",
    "permutation",
    "poisson",
    "rand",
    "randint",
    "randn",
    "random",
    "random_sample",
    "sample",
    "shuffle",
    "standard_normal",
    "uniform",
}
_BUILTIN = {"print", "open"}
_WORK = ("transform", "augment", "load", "read", "open", "token", "encode", "parse")


def item_events(recorder: Recorder) -> None:
    """Record what happens per item; elsewhere nobody waits for it."""
    for scope in list(recorder.reach.items.values()):
        for step in scope.calls:
            if isinstance(step.node, ast.Call):
                _call(recorder, scope, step, step.node)
        _handlers(recorder, scope)
        _retries(recorder, scope)
        _missed_keys(recorder, scope)


def _call(recorder: Recorder, scope: Scope, step: Step, node: ast.Call) -> None:
    full = recorder.name(node.func, scope)
    if not full and isinstance(node.func, ast.Name) and node.func.id in _BUILTIN:
        full = node.func.id
    if full == "print":
        recorder.add("print", scope, step, full)
    kind = NAMED.get(full)
    if kind == "read" and full == "numpy.load" and _true(node, "allow_pickle"):
        kind = "unpickle"
    if kind is not None:
        details: dict[str, Any] = {
            "managed": _managed(scope, node),
            "lazy": _lazy(scope, step, node),
            "kept": _kept(scope, node),
            "used": _closed(scope, node),
        }
        recorder.add(kind, scope, step, full, text=written(node), **details)
    elif isinstance(node.func, ast.Attribute):
        if node.func.attr in {"glob", "rglob", "iterdir"} and not full.startswith(
            "re."
        ):
            recorder.add("dir-scan", scope, step, written(node.func))
        _device(recorder, scope, step, node, full)
    _random(recorder, scope, step, full)


def _true(node: ast.Call, name: str) -> bool:
    return any(
        w.arg == name and isinstance(w.value, ast.Constant) and w.value.value is True
        for w in node.keywords
    )


def _managed(scope: Scope, node: ast.Call) -> bool:
    """Is it what a ``with`` closes again?"""
    return any(
        part is node
        for step in scope.of_type.get(ast.With, [])
        if isinstance(step.node, ast.With)
        for item in step.node.items
        for part in ast.walk(item.context_expr)
    )


def _lazy(scope: Scope, step: Step, node: ast.Call) -> bool:
    """Only where nothing is there yet: ``if self.file is None: self.file = ...``."""
    kept = _kept(scope, node).startswith("self.") or any(
        isinstance(one, ast.Assign)
        and one.value is node
        and any("self." in written(target) for target in one.targets)
        for one in (s.node for s in scope.of_type.get(ast.Assign, []))
    )
    return kept and bool(step.around.guards)


def _kept(scope: Scope, node: ast.Call) -> str:
    """The variable that keeps it: ``x`` or ``self.x``."""
    for key, values in scope.bound.items():
        if any(value is node for value, _ in values):
            return key
    return ""


def _closed(scope: Scope, node: ast.Call) -> bool:
    """Is what is opened closed, returned or handed on in this function?"""
    key = _kept(scope, node)
    if not key:
        return True
    for step in scope.steps:
        one = step.node
        if isinstance(one, ast.Call):
            if isinstance(one.func, ast.Attribute) and key_of(one.func.value) == key:
                if one.func.attr == "close":
                    return True
            parts = [*one.args, *(word.value for word in one.keywords)]
            if any(key_of(part) == key for part in parts):
                return True
        elif isinstance(one, (ast.Return, ast.Yield)) and one.value is not None:
            if any(
                isinstance(n, ast.Name) and n.id == key for n in ast.walk(one.value)
            ):
                return True
    return any(key_of(m) == key for s in scope.steps for m in s.around.managers)


def _device(
    recorder: Recorder, scope: Scope, step: Step, node: ast.Call, full: str
) -> None:
    """Does it touch the GPU? Certain where it says cuda itself."""
    func = node.func
    if not isinstance(func, ast.Attribute):
        return
    harmless = ("is_available", "device_count", "amp", "manual_seed", "nvtx", "is_cuda")
    if full.startswith("torch.cuda.") and not any(w in full for w in harmless):
        recorder.add("cuda", scope, step, full, sure=True)
    elif func.attr == "cuda" and not full.startswith("torch"):
        recorder.add("cuda", scope, step, written(func), sure=True)
    elif func.attr == "to" and node.args:
        value = recorder.values.of(node.args[0], scope)
        if isinstance(value.value, str) and value.value.startswith("cuda"):
            recorder.add("cuda", scope, step, written(node), sure=True)


def _random(recorder: Recorder, scope: Scope, step: Step, full: str) -> None:
    head, _, last = full.rpartition(".")
    if last in DRAWS and head in {"numpy.random", "random"}:
        recorder.add("draw", scope, step, full)
    elif last == "seed" and head in {"numpy.random", "random"}:
        node = step.node
        given = node.args[0] if isinstance(node, ast.Call) and node.args else None
        value = recorder.values.of(given, scope)
        recorder.add("seed", scope, step, full, constant=value.how == "literal")


def _handlers(recorder: Recorder, scope: Scope) -> None:
    """``except Exception: return self[0]``: a bad sample replaced in silence."""
    for step in scope.of_type.get(ast.ExceptHandler, []):
        node = step.node
        if not isinstance(node, ast.ExceptHandler):
            continue
        caught = written(node.type) if node.type else ""
        if caught not in {"", "Exception", "BaseException"}:
            continue
        inside = [n for s in node.body for n in ast.walk(s)]
        calls = [n for n in inside if isinstance(n, ast.Call)]
        told = any(isinstance(n, ast.Raise) for n in inside) or any(
            _tells(call) for call in calls
        )
        used = node.name and any(
            isinstance(n, ast.Name) and n.id == node.name for n in inside
        )
        if not told and not used:
            recorder.add("swallowed", scope, step, caught or "everything")


def _tells(call: ast.Call) -> bool:
    words = ("print", "warn", "log", "error", "info", "debug", "exception", "report")
    return any(word in written(call.func).lower() for word in words)


def _retries(recorder: Recorder, scope: Scope) -> None:
    """``while True`` around a sample that fails, with nothing that counts."""
    for step in scope.of_type.get(ast.While, []):
        node = step.node
        if not isinstance(node, ast.While) or not isinstance(node.test, ast.Constant):
            continue
        inside = [n for s in node.body for n in ast.walk(s)]
        bounded = any(
            isinstance(n, (ast.Break, ast.Raise, ast.Yield, ast.YieldFrom))
            for n in inside
        )
        ends = any(isinstance(n, ast.Return) for n in inside)
        tried = any(isinstance(n, (ast.Try, ast.Subscript)) for n in inside)
        if ends and tried and not bounded and scope.name.endswith("__getitem__"):
            recorder.add("unbounded-retry", scope, step)


def _missed_keys(recorder: Recorder, scope: Scope) -> None:
    """``if a not in cache: cache[b] = ...``: looked up by one key, kept by another."""
    for step in scope.of_type.get(ast.If, []):
        node = step.node
        if not isinstance(node, ast.If) or not isinstance(node.test, ast.Compare):
            continue
        test = node.test
        if len(test.ops) != 1 or not isinstance(test.ops[0], ast.NotIn):
            continue
        cache, key = ast.dump(test.comparators[0]), ast.dump(test.left)
        stored = [
            (target, one)
            for part in node.body
            for one in ast.walk(part)
            if isinstance(one, ast.Assign)
            for target in one.targets
            if isinstance(target, ast.Subscript) and ast.dump(target.value) == cache
        ]
        if len(stored) == 1 and ast.dump(stored[0][0].slice) != key:
            target, one = stored[0]
            if isinstance(test.left, (ast.Name, ast.Attribute)) and not isinstance(
                target.slice, (ast.Name, ast.Attribute)
            ):
                where = ast.Pass(
                    lineno=test.lineno,
                    col_offset=test.col_offset,
                    end_lineno=one.end_lineno,
                    end_col_offset=one.end_col_offset,
                )
                recorder.add(
                    "missed-key",
                    scope,
                    step,
                    written(test.comparators[0]),
                    node=where,
                    asked=written(test.left),
                    kept=written(target.slice),
                )


def light(recorder: Recorder, dataset: str) -> bool:
    """Do its items only pick from memory?"""
    scopes = [
        scope
        for key in recorder.reach.of_dataset.get(dataset, set())
        if (scope := recorder.reach.items.get(key)) is not None
    ]
    for scope in scopes:
        for step in scope.calls:
            node = step.node
            if not isinstance(node, ast.Call):
                continue
            full = recorder.name(node.func, scope)
            name = last_name(node.func).lower()
            unknown = isinstance(node.func, ast.Attribute) and (
                key_of(node.func).startswith("self.")
                and not list(recorder.reach.targets(node.func, scope, scope.owner))
            )
            if NAMED.get(full) in READING or any(word in name for word in _WORK):
                return False
            if unknown or name in {"iter", "next"}:
                return False
    return bool(scopes)
