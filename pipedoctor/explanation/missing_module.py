"""What to install where an import found no module, or where else the module may be."""

import re
from collections.abc import Mapping

from pipedoctor.check.notebook_cells import put_hint_in_cell
from pipedoctor.explanation.example_machine import fill_text
from pipedoctor.explanation.log_values import find_value
from pipedoctor.explanation.standard_library import describe_standard_module
from pipedoctor.explanation.word_similarity import USER_CODE_BUG
from pipedoctor.facts.log import Log

_PACKAGES: Mapping[str, str] = {
    "cv2": "opencv-python-headless",
    "PIL": "Pillow",
    "sklearn": "scikit-learn",
    "skimage": "scikit-image",
    "yaml": "PyYAML",
    "bs4": "beautifulsoup4",
    "dateutil": "python-dateutil",
    "dotenv": "python-dotenv",
    "Crypto": "pycryptodome",
    "git": "GitPython",
    "attr": "attrs",
    "OpenSSL": "pyOpenSSL",
    "fitz": "PyMuPDF",
    "faiss": "faiss-cpu",
    "mpl_toolkits": "matplotlib",
    "open_clip": "open_clip_torch",
    "clip": "git+https://github.com/openai/CLIP.git",
    "segment_anything": "git+https://github.com/facebookresearch/segment-anything.git",
    "ruamel": "ruamel.yaml",
    "Levenshtein": "python-Levenshtein",
    "magic": "python-magic",
    "ffmpeg": "ffmpeg-python",
    "zmq": "pyzmq",
    "hydra": "hydra-core",
    "antlr4": "antlr4-python3-runtime",
    "turbojpeg": "PyTurboJPEG",
    "streaming": "mosaicml-streaming",
    "jwt": "PyJWT",
    "docx": "python-docx",
    "tensorboard": "tensorboard",
    "torch": "torch",
    "torchvision": "torchvision",
}
"""Modules, and the packages that bring them where the names differ, or anybody knows them."""
_OF_PROJECTS = frozenset(
    {
        *("utils", "util", "models", "model", "data", "dataset", "config", "configs"),
        *("src", "lib", "core", "common", "tools", "train", "trainer", "modules", "options"),
        *("helpers", "losses", "loss", "layers", "network", "networks", "nets", "engine", "cfg"),
        *("dataloader", "dataloaders", "dataset_utils", "scripts", "args", "opts", "metrics"),
    }
)
"""Modules that nearly every project has of its own, and that are no packages to install."""
_PLAIN_PYTHON = re.compile(r"python3? ")
"""How a command begins that asks PATH for a Python."""
_INSTALL = "{install}"


def fill_hint(hint: str, log: Log) -> str:
    """The hint with what the log says, for the Python and the tool of the log."""
    module = log.find_value(USER_CODE_BUG, "module")
    told = hint.replace(_INSTALL, _describe_environment(log) + describe_missing(module))
    told = fill_text(told, lambda name: find_value(log, USER_CODE_BUG, name))
    if "notebook" in log.names:
        return put_hint_in_cell(told)
    if log.tool == "uv-project":
        return told.replace("python -m pip install", "uv add")
    if log.tool == "uv":
        return told.replace("python -m pip", "uv pip")
    return told.replace("python -m pip", f"{log.names.get('interpreter', 'python')} -m pip")


def _describe_environment(log: Log) -> str:
    """One sentence more where an environment is there, and another Python was started."""
    folder = log.find_value(USER_CODE_BUG, "venv")
    command = log.names.get("python", "")
    if not folder or not _PLAIN_PYTHON.match(command):
        return ""
    return f"Start it with the Python of {folder}: {folder}/bin/{command}. If that lacks it: "


def describe_missing(module: str) -> str:
    """One sentence; empty `module`: the log does not name it."""
    top = module.partition(".")[0]
    if not top:
        return (
            "Install it into the environment that ran this: python -m pip install NAME (the"
            " name of a package may differ from its module)"
        )
    if top in _OF_PROJECTS:
        return (
            f"{top} is most likely a file or folder of the project itself: start from the"
            " folder that holds it, with PYTHONPATH=. before the command"
        )
    if standard := describe_standard_module(module):
        return standard
    install = f"Install it into the environment that ran this: python -m pip install {_name(top)}"
    if top in _PACKAGES:
        return install
    return f"{install} (unless {top} is a module of your own: then start from its folder)"


def _name(top: str) -> str:
    return _PACKAGES.get(top, top.replace("_", "-"))
