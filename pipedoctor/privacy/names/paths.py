"""
Names of folders that say for whom somebody works, out of absolute paths.

Folders of the system and of libraries stay as they are, and so does whatever a word of
the trade names: where a path lies is what many a finding is about.
"""

import functools
import re
from collections.abc import Callable, Mapping

from pipedoctor.lazy_pattern import compile_lazily
from pipedoctor.privacy.aliases import ALIAS_FORM, ALIAS_PATTERN
from pipedoctor.privacy.public_hosts import is_public_host
from pipedoctor.privacy.vocabulary import PUBLIC_ACCOUNTS

_LETTER = r"""[^/\s:,;'"()=<>|*?\\]"""
_PATH_PART = rf"(?:{_LETTER}|{ALIAS_FORM})+"
_ABSOLUTE_PATH = rf"(?<![\w.>/~<-])(?:/{_PATH_PART}(?:\ {_LETTER}+)*(?=/)|/{_PATH_PART})+"
"""A space belongs to a path only where the path goes on after it."""
_WINDOWS_PATH = (
    rf"(?:(?<![\w])[A-Za-z]:|(?<![\w\\])\\{{2,4}}(?:{ALIAS_PATTERN.pattern}|[A-Za-z][\w.-]+))"
    rf"(?:\\{{1,2}}(?:{_PATH_PART}(?:\ {_LETTER}+)*(?=\\)|{_PATH_PART}))+"
)
"""Of a drive or a share; in a repr each backslash is two."""
_WINDOWS_FOLDER = compile_lazily(
    r"(?i)windows|system32|program files(?: \(x86\))?|programdata|appdata|roaming|temp|desktop"
    r"|documents|downloads|programs|source|repos|users|public|[a-z]:|scripts|\w\$"
)
_SWITCHES = frozenset(
    "grant deny remove inheritance setowner reset save restore user add pass delete generic"  # noqa: SIM905
    " create query all help t c q f s e r v d".split()
)
"""Of commands of Windows, which are no folders where a path of Windows stands beside them."""
_RELATIVE_PATH = rf"(?<![\w.>/~<:-]){_PATH_PART}(?:/{_PATH_PART})+"

_RUNS_IMAGE = compile_lazily(
    r"\b(?:docker|podman|nerdctl|enroot|srun) [^\n]{0,200}?\brun\b|--container-"
)
_NEAR = 300
"""Characters before and behind a path that are looked through for its server."""
_METHODS = frozenset(("GET ", "PUT ", "OST ", "EAD ", "TCH ", "ETE "))
_HOST_OF_LINE = compile_lazily(r"(?:\bhost=['\"]|\b[Hh]ost: ?|://)([A-Za-z0-9][\w-]*(?:\.[\w-]+)+)")

SYSTEM_PATH = compile_lazily(
    r"/(?:usr|lib|lib32|lib64|bin|sbin|proc|sys|dev|etc|run|var|boot|nix|gnu|snap"
    r"|System|Library|opt/(?:conda|homebrew|nvidia|rocm|intel|amazon|hostedtoolcache)|kubepods(?:\.slice)?"
    r"|(?:system|user|machine)\.slice)(?:/|$)"
)
"""Below these, only what lies under an environment of one's own is private."""

LIBRARY_FOLDER = compile_lazily(
    r"(?:site|dist)-packages|python[0-9.]*t?|lib(?:32|64)?|bin|sbin|include|pkgs|Lib"
    r"|torchinductor_(?:root|<user-\d+>)|aten|ATen|\.triton|c10d?|csrc|caffe2|third_party|nvfuser|flash_attn"
)
"""From here on a path is that of software."""

COMMON_FOLDERS = frozenset(
    # where people put things
    "home root users nonexistent volumes mnt media data datas dataset datasets disk disks srv opt"  # noqa: SIM905
    " tmp temp scratch work workspace workspaces storage store shared share nfs efs fsx"
    " lustre gpfs beegfs ceph raid ssd hdd nvme archive backup content kaggle input"
    " app code src source repo repos git project projects dev local private public"
    # what environments and caches are called
    " env envs venv venvs .venv conda miniconda miniconda3 anaconda anaconda3 miniforge"
    " miniforge3 mambaforge micromamba mamba .conda .mamba .pyenv pyenv versions .local"
    " .cache cache .config .tox .nox uv .uv pipx poetry virtualenvs hatch torch pytorch"
    " huggingface hub checkpoints triton cuda cudnn nvidia python"
    # datasets and their parts
    " imagenet imagenet1k imagenet-1k ilsvrc ilsvrc2012 coco coco2017 cifar cifar10"
    " cifar100 mnist laion laion400m openimages pascal voc voc2012 cityscapes kinetics"
    " librispeech commonvoice train training val valid validation test tests eval image"
    " images img label labels annotations raw processed shards video videos audio text"
    " jpegimages annotations imagesets segmentationclass glue mrpc squad places365 food101"
    " ade20k bdd100k kitti nuscenes celeba ffhq lsun"
    " lfw svhn stl10 tinyimagenet tiny-imagenet-200 c4 pile wikitext bookcorpus redpajama gsm8k"
    " audioset esc50 musdb18 vctk ljspeech k400 ucf101 hmdb51 snapshots blobs refs"
    # what a job writes
    " log logs output outputs run runs results models model wandb mlruns tensorboard"
    " main main.py train.py test.py eval.py setup.py conftest.py dataset.py data.py"
    " loader.py model.py utils.py __init__.py __main__.py requirements.txt"
    " requirements-dev.txt pyproject.toml setup.cfg environment.yml environment.yaml"
    " conda.yml pylock.toml uv.lock poetry.lock pipedoctor.toml dockerfile makefile"
    " .dockerenv .git stored_tokens token credentials .netrc .ssh .aws .kube .docker .kaggle"
    " known_hosts authorized_keys config config.json config.yaml config.yml settings.json"
    " kaggle.json id_rsa id_ed25519 .bashrc .profile .condarc pip.conf pip .triton .nv"
    " modules xet assets torch_extensions library resolve simple api manifests _temp _work _actions"
    " _tool drive mydrive ckpt ckpts cluster work_dirs out build dist examples configs tools"
    " scripts"
    " nas .venvs frames artifacts"
    # what people do there
    " lm llm llms nlp cv asr tts rl rlhf ocr vlm vqa seg det cls mt moe ssl gan gans slam nerf vit"
    " gpt bert lora sft dpo ppo sdxl recsys detection segmentation classification pretrain"
    " lidar radar depth pose poses face faces gaze scene scenes crops crop tiles patches clips"
    " masks features embeddings tokens captions boxes points pointcloud pointclouds satellite"
    " aerial medical pathology radiology mri xray microscopy retina dialogue translation"
    " summarization tracking segments keypoints heatmaps recordings spectrograms phonemes corpus"
    # more datasets
    " sceneflow flyingthings objaverse scannet scannetpp shapenet modelnet waymo argoverse nuplan"
    " wmt xsum dolma fineweb refinedweb slimpajama starcoder openwebtext datacomp webvid msrvtt"
    " activitynet ego howto voxceleb tedlium kodak div visdrone mapillary lvis refcoco textvqa"
    " docvqa chexpert mimic brats isic camelyon"
    " pretraining finetune finetuning captioning retrieval speech vision robotics experiment"
    " experiments exp exps".split()
)

_VERSION_NAME = compile_lazily(
    r"v?\d[\w.+-]*|(?:py|python|pt|torch|pytorch|cu|cuda|rocm|tf|jax)[-_.]?\d[\d._]*"
    r"(?:[-_]?(?:cu|cuda|py|cpu|gpu|rocm|torch)[\d.]*)*"
)
"""Of a release, or an environment named after one: ``2.4.0``, ``py310``, ``torch2.4-cu121``."""
_FILE_NAME = compile_lazily(r"(.+?)((?:\.so(?:\.\d+)*)|\.[A-Za-z][A-Za-z0-9]{0,7})")
_LIBRARY_FILE = compile_lazily(r"lib[\w+.-]*\.(?:so|dylib|a)(?:\.\d+)*|[\w.-]+\.so(?:\.\d+)*")


_PUBLIC_PART = compile_lazily(
    r"n\d{8}(?:_\d+)?(?:\.JPEG|\.tar)?|ILSVRC\w*(?:\.JPEG)?|[a-z]\w*-[0-9a-f]{8}\.pth"
    r"|(?:offline-)?run-\d{8}_\d{6}-\w{8}|(?:checkpoint|step|epoch|iter|version|global_step|rank|fold)[-_=]?\d+"
    r"(?:-(?:step|epoch|loss)[-_=]?\d+)?(?:\.(?:ckpt|pth?|tar|bin))?|events\.out\.tfevents\.\d+\S*"
    r"|tmp[a-z0-9_]{6,10}|ipython-input-\d+(?:-[0-9a-f]{12})?"
    r"|(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64})(?:-[a-z0-9-]+)?"
    r"|(?:models|datasets|spaces)--(?:(?:facebook|google|meta-llama|microsoft|openai|EleutherAI"
    r"|Qwen"
    r"|mistralai|stabilityai|runwayml|timm|sentence-transformers|nvidia|bigscience|deepseek-ai"
    r"|huggingface|HuggingFaceFW|laion|allenai|tiiuae)--)?[A-Za-z][\w.]*(?:-[\w.]+)*"
)
"""Names of ImageNet's classes and pictures, weights of torch.hub, hashes, models of everybody."""
_ENDS = "#$%.!?"
"""What a prompt or a sentence puts behind a path."""
_KAGGLE_INPUT = "/kaggle/input/"
"""Competitions and datasets of everybody."""
_ROUTE = compile_lazily(
    r"(?:@[\w.]{1,30}\.(?:get|post|put|patch|delete|route|websocket)|\bfetch)\(\s?[\"'`]$"
)
"""Of an interface, not a folder: ``@app.post("/login")``."""
_VARIABLE = compile_lazily(r"\$\w+|\$?\{\w+\}|%\w+%")


def is_common_folder(name: str) -> bool:
    """Is it a folder that many have: ``imagenet``, ``data2``?"""
    return name.lower() in COMMON_FOLDERS or name.lower().rstrip("0123456789") in COMMON_FOLDERS


def redact_paths(text: str, alias: Callable[[str], str]) -> str:
    """Put aliases in place of the private names in every absolute path of a text."""
    if "\\" in text:
        text = re.sub(_WINDOWS_PATH, lambda match: _redact_windows(match[0], alias), text)
    if "/" not in text:
        return text
    switches = _SWITCHES if "\\" in text else frozenset[str]()

    def hide(match: re.Match[str]) -> str:
        path, begin = match[0], match.start()
        if path[1:].lower() in switches or _ROUTE.search(text[max(0, begin - 60) : begin]):
            return path
        if _is_asked_of_everybody(text, begin):
            return path
        end = _find_end_of_argument(text, path) if " " in path else len(path)
        return _redact_path(path[:end], alias) + path[end:]

    return re.sub(_ABSOLUTE_PATH, hide, text)


def _find_end_of_argument(text: str, path: str) -> int:
    """Where the image begins that stands behind a folder: ``-w /work pytorch/pytorch``."""
    if (version := path.find(" HTTP/")) > 0:  # of a request
        return version
    found = re.search(r" (?=[a-z-])", path)
    return found.start() if found and _is_run_of_image(text) else len(path)


@functools.lru_cache(maxsize=1)
def _is_run_of_image(text: str) -> bool:
    """Does it start a container? Asked for each path of a text."""
    return _RUNS_IMAGE.search(text) is not None


def _is_asked_of_everybody(text: str, begin: int) -> bool:
    """Is it what a public server is asked for, which the same line names?"""
    if text[begin - 5 : begin] != "url: " and text[begin - 4 : begin] not in _METHODS:
        return False
    before = text[max(0, begin - _NEAR) : begin].rpartition("\n")[2]
    behind = text[begin : begin + _NEAR].partition("\n")[0]
    hosts = _HOST_OF_LINE.findall(before + behind)
    return bool(hosts) and all(map(is_public_host, hosts))


def redact_relative_paths(text: str, aliases: Mapping[str, str]) -> str:
    """In relative paths, replace the folders that some absolute path has hidden."""
    if not aliases or "/" not in text:
        return text
    return re.sub(_RELATIVE_PATH, lambda match: _redact_relative(match[0], aliases), text)


def _redact_relative(path: str, aliases: Mapping[str, str]) -> str:
    *above, last = path.split("/")
    return "/".join([*(aliases.get(part, part) for part in above), last])


def _redact_path(path: str, alias: Callable[[str], str]) -> str:
    known, environments, below = (
        path.partition("/envs/") if SYSTEM_PATH.match(path) else ("", "", "")
    )
    if path.startswith(_KAGGLE_INPUT) or (known and not environments):
        return path
    parts = (below or path).split("/")
    done: list[str] = [f"{known}{environments[:-1]}"] if known else []
    for place, part in enumerate(parts):
        if LIBRARY_FOLDER.fullmatch(part) and (place > 1 or known):
            return "/".join([*done, *parts[place:]])
        drive = len(part) == 1 and parts[place - 1] in {"", "mnt"}
        done.append(part if drive else _redact_part(part, alias))
    return "/".join(done)


def _redact_windows(path: str, alias: Callable[[str], str]) -> str:
    """The drive, or the share, stays, and so do folders of the system."""
    if re.match(r"(?i)[a-z]:\\{1,2}(?:windows|program)", path):
        return path
    parts = re.split(r"(\\+)", path)
    first = 5 if path.startswith("\\") else 2
    for place in range(first, len(parts)):
        part = parts[place]
        if LIBRARY_FOLDER.fullmatch(part):
            break
        if part.strip("\\") and not _WINDOWS_FOLDER.fullmatch(part):
            parts[place] = _redact_part(part, alias)
    return "".join(parts)


def _redact_part(part: str, alias: Callable[[str], str]) -> str:
    if (
        is_common_folder(part)
        or part in PUBLIC_ACCOUNTS
        or ALIAS_PATTERN.search(part)
        or _VERSION_NAME.fullmatch(part)
        or _LIBRARY_FILE.fullmatch(part)
        or _VARIABLE.fullmatch(part)
        or _PUBLIC_PART.fullmatch(part)
        or not part.strip(".")  # here and above
    ):
        return part
    ended = part.rstrip(_ENDS)
    if ended != part and ended:
        return _redact_part(ended, alias) + part[len(ended) :]
    file = _FILE_NAME.fullmatch(part)
    if file and (is_common_folder(file[1]) or _VERSION_NAME.fullmatch(file[1])):
        return part
    return alias(file[1]) + file[2] if file else alias(part)
