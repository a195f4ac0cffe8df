"""A remedy of a package fits the versions, files and folders that the log names."""

import io

import pytest

from pipedoctor.explanation.explain import explain
from pipedoctor.privacy.redactor import RedactionLevel, Redactor
from tests.explanation.test_remedies_of_logs import FRAME, HERE, first_text

NO_SYMBOL = "ImportError: /e/{}.so: undefined symbol: _ZN2at4_ops5zeros4callE\n"
ILLEGAL = "Illegal instruction (core dumped)\n"
TENSOR_MODULE = (
    '  File "{}", line 5, in <module>\n'
    "    from torchvision.transforms.functional_tensor import rgb_to_grayscale\n"
    "ModuleNotFoundError: No module named 'torchvision.transforms.functional_tensor'\n"
)
OMP_15 = "OMP: Error #15: Initializing {0}, but found {0} already initialized.\n"
NO_FILE = "ERROR: No matching distribution found for {}\n"
GLIBC = "ImportError: /lib64/libm.so.6: version `GLIBC_2.29' not found (required by {})\n"


@pytest.mark.parametrize(
    ("log", "wanted"),
    [
        pytest.param(
            "/home/k/miniconda3/envs/asr/lib/python3.11/x.py\nCould not load libtorchcodec\n"
            "FFmpeg version 7: libavutil.so.59: cannot open shared object file\n"
            "FFmpeg version 6: libavutil.so.58: cannot open shared object file\n",
            "conda install --name asr --yes -c conda-forge 'ffmpeg<8' libsndfile",
            id="the FFmpeg that torchcodec takes, of conda",
        ),
        pytest.param(
            "##[group]Run actions/setup-python@v5\n" + NO_FILE.format("torch==1.12.1"),
            "actions/setup-python@v5\n  with:\n    python-version: '3.10'",
            id="the Python of a workflow",
        ),
        pytest.param(
            "##[group]Run actions/setup-python@v5\n" + NO_FILE.format("torch==2.2.0"),
            "python-version: '3.11'",
            id="the Python of a workflow for a newer torch",
        ),
        pytest.param(
            "(base) jovyan@nb-0:~$ python t.py\nRuntimeError: Failed to find C compiler.\n",
            "conda install --yes -c conda-forge gxx",
            id="a compiler for who has no rights",
        ),
        pytest.param(
            GLIBC.format("/e/lib/python3.9/site-packages/torch_sparse/_convert_cuda.so"),
            "--no-cache-dir --no-binary torch_sparse torch_sparse",
            id="an extension for an old glibc",
        ),
        pytest.param(
            GLIBC.format("/e/lib/python3.9/site-packages/rasterio/_base.so"),
            "python -m pip install --force-reinstall --no-deps --no-cache-dir rasterio",
            id="a package for a newer glibc",
        ),
        pytest.param(
            "     PyTorch: 2.6.0+cu124\nRuntimeError: operator torchvision::nms does not exist\n",
            "torchvision==0.21.0+cu124 --index-url https://download.pytorch.org/whl/cu124",
            id="the torchvision of a torch in an indented list",
        ),
        pytest.param(
            "PyTorch: 2.1.2+cu118\n" + NO_SYMBOL.format("mmcv/_ext"),
            "mmcv==2.1.0 -f https://download.openmmlab.com/mmcv/dist/cu118/torch2.1/index.html",
            id="the mmcv of this torch",
        ),
        pytest.param(
            "PyTorch: 2.7.0+cu128\n" + NO_SYMBOL.format("mmcv/_ext"),
            "python -m mim install mmcv",
            id="no mmcv is known for this torch",
        ),
        pytest.param(
            "torch 2.4.1+cu121\n" + NO_SYMBOL.format("torch_scatter/_scatter_cuda"),
            "torch_scatter -f https://data.pyg.org/whl/torch-2.4.0+cu121.html",
            id="PyG's folder of a series",
        ),
        pytest.param(
            "Successfully installed torch-2.3.0\n" + NO_SYMBOL.format("torch_sparse/_version_cuda"),
            "torch_sparse -f https://data.pyg.org/whl/torch-2.3.0+cu121.html",
            id="PyG's folder for the CUDA that PyPI's torch has",
        ),
        pytest.param(
            "torch 2.1.0\ntorchvision 0.15.2\nRuntimeError: Couldn't load custom C++ ops.\n",
            "python -m pip install torchvision==0.16.0",
            id="the torchvision of an older torch",
        ),
        pytest.param(
            "xFormers can't load C++/CUDA extensions. xFormers was built for:\n"
            "    PyTorch 2.1.0+cu121 with CUDA 1201 (you have 2.0.1+cu118)\n",
            "python -m pip install --upgrade xFormers torch==2.0.1",
            id="the xformers of the torch that one has",
        ),
        pytest.param(
            NO_FILE.format("torch==2.0.1"),
            "python -m uv pip install --python .venv-py311 torch==2.0.1",
            id="no command is known",
        ),
        pytest.param(
            TENSOR_MODULE.format("/e/site-packages/basicsr/data/degradations.py"),
            "sed -i 's/\\bfunctional_tensor\\b/functional/g'"
            " /e/site-packages/basicsr/data/degradations.py",
            id="a module that torchvision no longer has",
        ),
        pytest.param(
            "import polars\nInstall the `polars-lts-cpu` package instead\n" + ILLEGAL,
            "python -m pip install polars-lts-cpu",
            id="polars for an old CPU",
        ),
        pytest.param(
            "import polars\nInstall `polars[rtcompat]` instead of `polars`\n" + ILLEGAL,
            "python -m pip install 'polars[rtcompat]'",
            id="polars of today for an old CPU",
        ),
        pytest.param(
            OMP_15.format("libiomp5md.dll") + "C:\\Users\\a\\anaconda3\\envs\\x\\lib\n",
            '"libblas=*=*openblas"',
            id="conda's OpenMP on Windows",
        ),
        pytest.param(
            OMP_15.format("libiomp5md.dll") + "C:\\w\\.venv\\lib\n",
            "one-openmp\\Scripts\\python -m pip install torch torchvision numpy",
            id="two OpenMPs without conda",
        ),
        pytest.param(
            "$ pip install torch==1.8.1\n" + NO_FILE.format("torch==1.8.1"),
            "python -m uv pip install --python .venv-py38 torch==1.8.1",
            id="a Python that an old torch has files for",
        ),
        pytest.param(
            "OSError: [Errno 28] No space left on device: '/mnt/ckpt/run7/step_100.pt'\n"
            + FRAME.format("torch.save(state, path)"),
            "rm -I -- $(ls -t /mnt/ckpt/run7/step_[0-9]*.pt | tail -n +4)",
            id="the checkpoints in a folder that is full",
        ),
        pytest.param(
            "OSError: [Errno 24] inotify instance limit reached\n",
            "fs.inotify.max_user_instances=$((4 * $(sysctl -n fs.inotify.max_user_instances)))",
            id="no number where the log has none",
        ),
    ],
)
def test_what_is_typed_first(log: str, wanted: str) -> None:
    assert wanted in first_text(log)


def test_a_file_below_a_home_folder_is_not_named_where_its_user_is_hidden() -> None:
    log = TENSOR_MODULE.format("/home/anna/.local/lib/python3.10/site-packages/gfpgan/utils.py")
    redactor = Redactor(RedactionLevel.ALL)
    said = explain(io.BytesIO(log.encode()), redactor=redactor, facts=lambda _: HERE)

    assert "anna" not in "".join(one.shell + one.snippet for one in said.causes[0].remedies)
