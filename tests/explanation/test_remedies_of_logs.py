"""A remedy fits its log: numbers, names, versions, systems and places are the log's own."""

import io

import pytest

from pipedoctor.explanation.explain import explain
from pipedoctor.explanation.model import SuggestedRemedy
from pipedoctor.facts import Facts, Memory, Shm, Site
from pipedoctor.units import GiB

HERE = Facts(Site(system="linux"))


def list_remedies(log: str) -> list[SuggestedRemedy]:
    """Those of the first cause for the place of the log."""
    said = explain(io.BytesIO(log.encode()), facts=lambda _: HERE)
    return [one for one in said.causes[0].remedies if one.for_here]


def first_text(log: str) -> str:
    first = list_remedies(log)[0]
    return first.shell or first.snippet or first.title


HEALTHY = HERE.merge(
    Memory(total=24 * GiB, available=23 * GiB), Shm(size=24 * GiB, remountable=True)
)
OPENBLAS = (
    "OpenBLAS blas_thread_init: pthread_create failed for thread 50 of 64: Resource"
    " temporarily unavailable\nOpenBLAS blas_thread_init: RLIMIT_NPROC {} current, {} max\n"
)
OOM = "slurmstepd: error: Detected 1 oom-kill event(s) in StepId=7.batch.\n"
GLIBCXX = "ImportError: {}libstdc++.so.6: version `GLIBCXX_3.4.{}' not found (required by x.so)\n"
SUBLIBRARY = "RuntimeError: cuDNN error: CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH\n"
NMS = "RuntimeError: operator torchvision::nms does not exist\n"
BAD_HEADER = "KeyError: 'Unable to open object (bad object header version number)'\n"
PIP_FULL = "ERROR: Could not install packages due to an OSError: [Errno 28] No space left{}\n"
READ_ONLY = "OSError: [Errno 30] Read-only file system: '{}'\n"
NO_KERNEL = "RuntimeError: CUDA error: no kernel image is available for execution on the device\n"
FRAME = '  File "/w/train.py", line 8, in run\n    {}\n'
NCCL_SHM = "NCCL WARN Error: failed to extend /dev/shm/nccl-abc to 9637892 bytes\n"
PIP_PAIR = "torchvision 0.17.0 requires torch==2.2.0, but you have torch 2.4.0.\n"
QUOTA = "$ docker run --cpus=2 x\nnr_throttled 47903\n"


@pytest.mark.parametrize(
    ("log", "wanted"),
    [
        pytest.param(OPENBLAS.format(4096, 513046), "ulimit -u 32796", id="up to the hard limit"),
        pytest.param(
            OPENBLAS.format(4096, 4096), "export OMP_NUM_THREADS=1", id="no limit to raise"
        ),
        pytest.param(
            "$ docker run x\nlibgomp: Thread creation failed: Resource temporarily unavailable\n",
            "docker run --pids-limit=65536",
            id="threads in a container",
        ),
        pytest.param("#SBATCH --mem-per-cpu=4G\n" + OOM, "#SBATCH --mem-per-cpu=8G", id="per CPU"),
        pytest.param("#SBATCH --mem=12G\n" + OOM, "#SBATCH --mem=24G", id="in all"),
        pytest.param("ReqTRES cpu=4,mem=20G\n" + OOM, "#SBATCH --mem=40G", id="of accounting"),
        pytest.param("MinMemoryNode=20G\n" + OOM, "#SBATCH --mem=40G", id="of scontrol"),
        pytest.param("SLURM_MEM_PER_NODE=65536\n" + OOM, "#SBATCH --mem=128G", id="of the job"),
        pytest.param("Memory limit: 64 GB\n" + OOM, "#SBATCH --mem=128G", id="of a prologue"),
        pytest.param("#SBATCH --mem=64GB\n" + OOM, "#SBATCH --mem=128G", id="in bytes"),
        pytest.param("#SBATCH --mem-per-gpu=9G\n" + OOM, "#SBATCH --mem-per-gpu=18G", id="per GPU"),
        pytest.param("81|OUT_OF_MEMORY|64Gn|\n" + OOM, "#SBATCH --mem=128G", id="of sacct -P"),
        pytest.param(
            "8 OUT_OF_ME+ 0:125 6701232K 64G\n" + OOM, "#SBATCH --mem=128G", id="behind the code"
        ),
        pytest.param(
            "import torch_scatter\nOSError: libtorch_cuda_cu.so: cannot open shared object file\n",
            "python -m pip install --force-reinstall --no-deps torch_scatter -f"
            " https://data.pyg.org/whl/torch-",
            id="an extension that has wheels for each torch",
        ),
        pytest.param(
            '  File "/x/torchaudio/_extension/utils.py", line 61, in _load_lib\n'
            "OSError: /x/torchaudio/lib/libtorchaudio.so: undefined symbol: _ZN3c104impl8\n",
            "python -m pip install --upgrade torch torchaudio",
            id="an extension in wheels",
        ),
        pytest.param(
            GLIBCXX.format("/opt/anaconda3/envs/sfm/lib/", 29),
            "conda install --prefix /opt/anaconda3/envs/sfm --channel conda-forge"
            " 'libstdcxx-ng>=11'",
            id="conda's libstdc++",
        ),
        pytest.param(
            GLIBCXX.format("/usr/lib/x86_64-linux-gnu/", 32),
            "conda create --yes --prefix $HOME/libstdcxx --channel conda-forge 'libstdcxx-ng>=13'",
            id="the system's libstdc++",
        ),
        pytest.param(
            SUBLIBRARY + "calling init: /lib/x86_64-linux-gnu/libcudnn_graph.so.9\n",
            "sudo apt-get remove 'libcudnn*'",
            id="the system's cuDNN",
        ),
        pytest.param(SUBLIBRARY, "env -u LD_LIBRARY_PATH python train.py", id="another cuDNN"),
        pytest.param(
            NMS + "torch          2.4.0+cu121\ntorchvision    0.20.1+cu124\n",
            "python -m pip install torchvision==0.19.0+cu121 --index-url"
            " https://download.pytorch.org/whl/cu121",
            id="the index of this torch",
        ),
        pytest.param(
            NMS + "torch==2.4.0\ntorchvision==0.20.1\n",
            "python -m pip install torchvision==0.19.0",
            id="no index is known",
        ),
        pytest.param(PIP_FULL.format(""), "mkdir -p $HOME/tmp", id="pip fills /tmp"),
        pytest.param(
            PIP_FULL.format(" on device: '/home/me/x'"),
            "python -m pip cache purge",
            id="pip fills the home folder",
        ),
        pytest.param(
            READ_ONLY.format("/mnt/hf/datasets"),
            "export HF_DATASETS_CACHE=${SLURM_TMPDIR:-/tmp/cache-$(id -u)}/datasets",
            id="a cache elsewhere",
        ),
        pytest.param(
            READ_ONLY.format("/home/me/.cache/huggingface"),
            "export HF_HOME=/tmp/cache-$(id -u)/huggingface",
            id="a cache at home",
        ),
        pytest.param(
            "RuntimeError: cannot cache function 'f': no locator available for file 'x.py'\n",
            "export NUMBA_CACHE_DIR=/tmp/numba-$(id -u)",
            id="numba's cache",
        ),
        pytest.param(
            FRAME.format("y = model(x)").replace("/w/", "/e/lib/python3.6/site-packages/")
            + NO_KERNEL
            + ">>> torch.__version__  -> '1.6.0+cu101'      GPU: NVIDIA A40\n",
            "python -m pip install torch==1.10.2+cu113 torchvision==0.11.3+cu113 --index-url"
            " https://download.pytorch.org/whl/cu113",
            id="a GPU by its name, an old Python",
        ),
        pytest.param(
            "NVIDIA GeForce RTX 5060 Ti with CUDA capability sm_120 is not compatible with the"
            " current PyTorch installation.\n",
            "python -m pip install torch==2.11.0+cu128 torchvision==0.26.0+cu128 --index-url"
            " https://download.pytorch.org/whl/cu128",
            id="no newer driver than the GPU asks for",
        ),
        pytest.param(
            FRAME.format("label = self.db[index]") + BAD_HEADER,
            "self.db = h5py.File",
            id="the user's attribute",
        ),
        pytest.param(
            FRAME.format('index.append(sample["index"])') + "RuntimeError: Too many open files\n",
            "ulimit -n 65536",
            id="a list that keeps tensors",
        ),
        pytest.param(
            "NCCL WARN Call to posix_fallocate failed : No space left on device\n",
            "docker run --shm-size=8g",
            id="NCCL in a container",
        ),
        pytest.param(QUOTA, "docker run -e OMP_NUM_THREADS=2", id="the quota of the log"),
        pytest.param(
            "ImportError: /lib64/libm.so.6: version `GLIBC_2.27' not found (required by"
            " /e/lib/python3.11/site-packages/torch/lib/libtorch_cpu.so)\n",
            "python -m pip install 'torch<2.7'",
            id="an old glibc",
        ),
        pytest.param(
            "tmpfs   126G  124G  2.1G  99% /dev/shm\n$ ps aux | grep -c torch_shm_manager\n1183\n",
            "pipedoctor fix leaked-shm-segments",
            id="leaked segments",
        ),
        pytest.param(
            FRAME.format("from PIL import PILLOW_VERSION").replace(
                "/w/train.py", "/e/site-packages/torchvision/transforms/functional.py"
            )
            + "ImportError: cannot import name 'PILLOW_VERSION' from 'PIL' (/e/PIL/__init__.py)\n",
            "python -m pip install 'pillow<7'",
            id="no other torch for a name of Pillow",
        ),
    ],
)
def test_what_is_typed_first(log: str, wanted: str) -> None:
    assert wanted in first_text(log)


def list_texts(log: str) -> str:
    return "\n".join(f"{r.title}\n{r.shell}\n{r.snippet}" for r in list_remedies(log))


def test_names_of_the_code_that_the_log_quotes() -> None:
    kept = FRAME.format('index.append(sample["index"])') + "RuntimeError: Too many open files\n"
    grown = "self.meta = [str(i) for i in rows]\nnum_workers=16\nused GiB: 12.1 14.4 18.0 31.5\n"

    assert 'index.append(sample["index"].clone())' in list_texts(kept)
    assert "self.meta = np.array(self.meta" in list_texts(f"{grown}worker: MemoryError\n")


def test_a_function_inside_another_is_named() -> None:
    log = "AttributeError: Can't get local object 'main.<locals>.collate'\nEOFError: Ran out\n"

    assert "Move collate out of main" in list_texts(log)
    assert 'multiprocessing_context="fork"' in list_texts(log)
    assert "fork" not in list_texts(FRAME.format("x").replace("/w/", "C:\\w\\") + log)


def test_a_gpu_of_another_maker_needs_no_driver_of_nvidia() -> None:
    log = "local GPU: Radeon RX 6600\nRuntimeError: Found no NVIDIA driver on your system.\n"

    (only,) = list_remedies(log)
    assert "ROCm" in only.title


def test_locks_are_disabled_only_where_a_lock_failed() -> None:
    locked = "BlockingIOError: unable to lock file, errno = 11 (h5py)\n"

    assert "HDF5_USE_FILE_LOCKING" in first_text(locked + BAD_HEADER)
    assert "HDF5_USE_FILE_LOCKING" not in list_texts(BAD_HEADER)


@pytest.mark.parametrize(
    ("log", "wanted"),
    [
        ("#SBATCH --mem=12G\n" + OOM, "#SBATCH --mem=24G"),
        (NCCL_SHM, "docker run --shm-size=8g"),
    ],
)
def test_a_healthy_machine_rules_out_no_remedy_of_another(log: str, wanted: str) -> None:
    said = explain(io.BytesIO(log.encode()), facts=lambda _: HEALTHY)

    first = said.causes[0].remedies[0]
    assert (first.shell or first.snippet) == wanted


@pytest.mark.parametrize(
    ("log", "wanted"),
    [
        (NMS + "torch 2.5.1+cu121\n", "torchvision==0.20.1+cu121 --index-url"),
        (PIP_PAIR, "pip install torchvision==0.19.0"),
    ],
)
def test_the_torch_of_the_log_decides_its_torchvision(log: str, wanted: str) -> None:
    assert wanted in first_text(log)
