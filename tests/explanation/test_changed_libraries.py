"""What a library no longer has is no fault of the environment: the hint says what to do."""

import io

from pipedoctor.explanation.explain import explain
from pipedoctor.privacy.redactor import RedactionLevel, Redactor
from tests.explanation.test_remedies_of_logs import HERE

TRACEBACK = (
    "Traceback (most recent call last):\n"
    '  File "/w/train.py", line 12, in <module>\n    main()\n'
    '  File "/w/data.py", line 40, in main\n    build()\n'
)
UNEXPECTED = "TypeError: {}__init__() got an unexpected keyword argument '{}'"
NO_MODULE = "ModuleNotFoundError: No module named '{}'"
HINTS = {
    "AttributeError: module 'numpy' has no attribute 'bool'.": '"numpy<1.24"',
    "AttributeError: `np.float_` was removed in the NumPy 2.0 release. Use `np.float64`": "numpy<2",
    NO_MODULE.format("torch._six"): "collections.abc",
    NO_MODULE.format("torchtext.legacy"): "0.11",
    NO_MODULE.format("torchvision.models.utils"): "torch.hub",
    NO_MODULE.format("pytorch_lightning.metrics"): "torchmetrics",
    NO_MODULE.format("pkg_resources"): '"setuptools<82"',
    NO_MODULE.format("distutils"): "setuptools",
    NO_MODULE.format("torchdata.datapipes"): '"torchdata<0.10"',
    NO_MODULE.format("albumentations.imgaug"): '"albumentations<1.4"',
    UNEXPECTED.format("Trainer.", "gpus"): "devices=N",
    UNEXPECTED.format("", "gpus"): "devices=N",
    UNEXPECTED.format("Trainer.", "reload_dataloaders_every_epoch"): "every_n_epochs=1",
    UNEXPECTED.format("Trainer.", "resume_from_checkpoint"): "ckpt_path",
    UNEXPECTED.format("TrainingArguments.", "evaluation_strategy"): "eval_strategy",
    UNEXPECTED.format("Trainer.", "tokenizer"): "processing_class",
    UNEXPECTED.format("DataLoader.", "in_order"): "2.6",
    UNEXPECTED.format("ReduceLROnPlateau.", "verbose"): "get_last_lr",
    "MisconfigurationException: `Trainer(strategy='ddp')` is not compatible with an"
    " interactive environment. Run your code as a script": "ddp_notebook",
    "ImportError: cannot import name 'AdamW' from 'transformers' (/e/x.py)": "torch.optim",
    "ImportError: cannot import name 'cached_download' from 'huggingface_hub' (/e/x.py)": "<0.26",
    "ImportError: cannot import name 'load_metric' from 'datasets' (/e/x.py)": "evaluate.load",
    "RuntimeError: Dataset scripts are no longer supported, but found x.py": '"datasets<4"',
    "ValueError: Please pass the argument `trust_remote_code=True` to allow custom code": "trust",
    "ImportError: cannot import name 'Mapping' from 'collections' (/e/x.py)": "collections.abc",
    "_pickle.UnpicklingError: Weights only load failed. This file can still be loaded": "=False",
    '    ck = torch.load("a/b.pt", map_location="cpu")\n_pickle.UnpicklingError: Weights only load'
    " failed.\n\tUnsupported global: GLOBAL argparse.Namespace was not an allowed global": (
        'torch.load("a/b.pt", map_location="cpu", weights_only=False), or'
    ),
    "_pickle.UnpicklingError: Weights only load failed.\n\tUnsupported global: GLOBAL"
    " my.Options was not an allowed global": "add_safe_globals([my.Options])",
    "RuntimeError: Parent directory runs/a does not exist.": "mkdir -p runs/a",
    '    with open(p, "w") as f:\nFileNotFoundError: [Errno 2] No such file or directory: '
    "'log/b/c.json'": "mkdir -p log/b",
    "AttributeError: module 'torchaudio' has no attribute 'set_audio_backend'": "2.9",
    "ValueError: prefetch_factor option could only be specified in multiprocessing.": "else None",
    "ValueError: persistent_workers option needs num_workers > 0": "num_workers > 0",
    "RuntimeError: Expected a 'cuda' device type for generator but found 'cpu'": "generator=",
    "ValueError: 1 validation error for InitSchema": "size=(height, width)",
    "AttributeError: module 'cv2' has no attribute 'xfeatures2d'": "opencv-contrib-python",
    "AttributeError: module 'scipy.misc' has no attribute 'imread'": "imageio",
    "AttributeError: 'DataFrame' object has no attribute 'append'": "pd.concat",
    "TypeError: mel() takes 0 positional arguments but 2 positional arguments": '"librosa<0.10"',
    "AttributeError: module 'librosa' has no attribute 'output'": "soundfile",
    "AttributeError: module 'torch.amp' has no attribute 'GradScaler'": "torch.cuda.amp",
    "RuntimeError: stft requires the return_complex parameter be given": "view_as_real",
    "t.py: error: the following arguments are required: --local_rank": "LOCAL_RANK",
    "TypeError: load() missing 1 required positional argument: 'Loader'": "safe_load",
}


def test_each_names_what_to_write_or_to_install() -> None:
    wrong: list[str] = []
    for line, wanted in HINTS.items():
        said = explain(
            io.BytesIO(f"{TRACEBACK}{line}\n".encode()),
            redactor=Redactor(RedactionLevel.ALL),
            facts=lambda _: HERE,
        )
        hint = said.fault.hint if said.fault and not said.causes else ""
        if wanted not in hint:
            wrong.append(f"{line}: {hint}")
    assert wrong == []
