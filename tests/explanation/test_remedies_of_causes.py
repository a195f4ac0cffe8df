"""The first remedy is for what the log shows, and not for a more usual case of the same cause."""

import pytest

from tests.explanation.test_remedies_of_logs import first_text, list_remedies

BUSY = (
    "[W socket.cpp:401] [c10d] The server socket has failed to bind to [::]:{} (errno: 98 - {}).\n"
)
IN_USE = "Address already in use"
OOM = "RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB (GPU 0; 7.80 GiB total)\n"
SLOW_DOWN = "An error occurred (SlowDown) when calling the GetObject operation: Please reduce"
THROTTLED = "cpu.max\nnr_throttled 812\nthrottled_usec 99318273112\n"
CUDNN = (
    "nvidia-cudnn-cu11  8.6.0.163\nnvidia-cudnn-cu12  9.5.1.17\n{}CUDNN_STATUS_NOT_INITIALIZED\n"
)
NO_FILES = "OSError: [WinError 126] The specified module could not be found. Error loading"
MISMATCH = "Failed to initialize NVML: Driver/library version mismatch\n"
THREADS = "libgomp: Thread creation failed: Resource temporarily unavailable\n"
NO_THREAD = "RuntimeError: can't start new thread\n"
UNLIMITED = (
    "OpenBLAS blas_thread_init: pthread_create failed for thread 9 of 10: Resource temporarily"
    " unavailable\nOpenBLAS blas_thread_init: RLIMIT_NPROC -1 current, -1 max\n"
)
MIRRORS = "FileNotFoundError: [Errno 2] No such file or directory: 'sox'\nSoX could not be found!\n"


@pytest.mark.parametrize(
    ("log", "wanted"),
    [
        pytest.param(BUSY.format(22, IN_USE), "export MASTER_PORT=29500", id="a port of root's"),
        pytest.param(
            "ConnectionError: Tried to launch distributed communication on port `29501`, but"
            " another process is utilizing it.\n",
            "accelerate launch --main_process_port 0 train.py",
            id="the port of accelerate",
        ),
        pytest.param(
            "ConnectionError: Tried to launch distributed communication on port `29501`, but"
            " another process is utilizing it. Please specify a different port (such as using the"
            " `--main_process_port` flag) and rerun your script.\n",
            "accelerate launch --main_process_port 0 train.py",
            id="the port of accelerate, which names its option",
        ),
        pytest.param(
            "RuntimeError: port 29501 is already in use\n",
            "export MASTER_PORT=29502",
            id="a port in words that are not accelerate's",
        ),
        pytest.param(
            f"CUDA out of memory at batch size 16, decreasing\nbatch size 1: {OOM}",
            "from torch.utils.checkpoint import checkpoint",
            id="one sample is too much",
        ),
        pytest.param(
            f"batch_size=64: {OOM}batch_size=32: {OOM}batch_size=16: {OOM}",
            "DataLoader(..., batch_size=8)",
            id="the last of the sizes that were tried",
        ),
        pytest.param(
            f"run 1: batch_size: 512\n{OOM}run 2: batch_size: 256\n{OOM}",
            "DataLoader(..., batch_size=128)",
            id="the last of sizes that are halved",
        ),
        pytest.param(
            f"train batch_size: 64\ntest batch_size: 16\n{OOM}",
            "DataLoader(..., batch_size=32)",
            id="sizes of two loaders",
        ),
        pytest.param(
            "ValueError: No available memory for the cache blocks.\n",
            "LLM(..., gpu_memory_utilization=0.95, max_model_len=4096)",
            id="the cache of a server",
        ),
        pytest.param(
            "numpy.core._exceptions._ArrayMemoryError: Unable to allocate 29.8 GiB for an array"
            " with shape (4000000, 1000) and data type float64\n",
            'array = np.load(path, mmap_mode="r")',
            id="one array",
        ),
        pytest.param(
            "TERM_MEMLIMIT: job killed after reaching LSF memory usage limit.\n",
            '#BSUB -M 64GB\n#BSUB -R "rusage[mem=64GB]"',
            id="LSF",
        ),
        pytest.param(
            "#BSUB -M 48GB\nTERM_MEMLIMIT: job killed after reaching LSF memory usage limit.\n",
            '#BSUB -M 96GB\n#BSUB -R "rusage[mem=96GB]"',
            id="LSF, twice what was asked for",
        ),
        pytest.param(
            "JobID     State       ExitCode   ReqMem\n99   OUT_OF_ME+   0:125   64G\n",
            "#SBATCH --mem=128G",
            id="the table of sacct",
        ),
        pytest.param(
            "Warning  Evicted  5s  kubelet  The node was low on resource: memory."
            " Container worker was using 40Gi\n",
            "- name: worker\n",
            id="the container that was evicted",
        ),
        pytest.param(
            "google.api_core.exceptions.TooManyRequests: rateLimitExceeded: The object b/o\n",
            "from google.cloud.storage.retry import DEFAULT_RETRY",
            id="a store of Google",
        ),
        pytest.param(
            "2025/06/01 10:01:00 ERROR : a.tar: Failed to copy: failed to open source object:"
            " 503 Slow Down\n2025/06/01 10:01:20 ERROR : Attempt 3/3 failed with 1 errors\n",
            "export RCLONE_TPSLIMIT=10 RCLONE_TRANSFERS=2",
            id="rclone",
        ),
        pytest.param(
            f"botocore.exceptions.ClientError: {SLOW_DOWN}\n",
            "export AWS_RETRY_MODE=adaptive",
            id="a store of Amazon",
        ),
        pytest.param(
            "socket.h:344 NCCL WARN Socket creation failed : Address family not supported by"
            " protocol\n",
            "export NCCL_SOCKET_FAMILY=AF_INET",
            id="no IPv6",
        ),
        pytest.param(
            "torch._dynamo.exc.BackendCompilerFailed: GPUTooOldForTriton: Found GTX 1080 Ti which"
            " is too old to be supported by the triton GPU compiler\n",
            "export TORCHDYNAMO_DISABLE=1",
            id="a GPU that Triton does not know",
        ),
        pytest.param(
            "Support for Volta architectures is removed for CUDA 13.0+ builds.\n",
            "--index-url https://download.pytorch.org/whl/cu126",
            id="a GPU that newer builds leave out",
        ),
        pytest.param(
            CUDNN.format(""),
            "python -m pip uninstall -y nvidia-cudnn-cu11\npython -m pip install"
            " --force-reinstall --no-deps nvidia-cudnn-cu12==9.5.1.17",
            id="cuDNN twice",
        ),
        pytest.param(
            CUDNN.format("torch 2.0.1+cu118\n"),
            "env -u LD_LIBRARY_PATH",
            id="cuDNN twice, and a torch for the older",
        ),
        pytest.param(
            f"root@node-container:~# apt install -y cuda\n{MISMATCH}",
            "docker run --gpus=all",
            id="a driver that was installed in a container",
        ),
        pytest.param(
            f"$ docker run --gpus all x nvidia-smi\n{MISMATCH}",
            "sudo systemctl reboot",
            id="a driver of the host",
        ),
        pytest.param(
            "trainer-1 exited with code 132\n",
            "export PYTHONFAULTHANDLER=1",
            id="an instruction of nobody knows which package",
        ),
        pytest.param(
            "_pickle.UnpicklingError: Weights only load failed.\nUnsupported operand 118\n",
            "git lfs install\ngit lfs pull",
            id="a pointer in place of weights",
        ),
        pytest.param(
            "pytorch       1.7.1       py3.8_cpu_0    pytorch\n"
            "torch.cuda.is_available() is False\n",
            "conda install --channel pytorch --channel nvidia 'pytorch=1.7.1=*cuda*'",
            id="conda's build for CPUs",
        ),
        pytest.param(
            "LustreError: 11-0: scratch-OST0004-osc: operation ost_read to node 10.3.0.7@o2ib"
            " failed: rc = -107\n",
            "lfs df -h",
            id="a server of Lustre",
        ),
        pytest.param(MIRRORS, "sudo apt-get install -y sox libsox-fmt-all", id="SoX"),
        pytest.param(
            ">>> torch.__file__\n"
            "'/home/kim/.local/lib/python3.10/site-packages/torch/__init__.py'\n",
            "export PYTHONNOUSERSITE=1",
            id="the user's own torch",
        ),
        pytest.param(
            f'{NO_FILES} "C:\\p\\torch\\lib\\fbgemm.dll" or one of its dependencies.\n',
            "python -m pip install --upgrade torch torchvision --index-url",
            id="a library of newer releases",
        ),
        pytest.param(
            f'{NO_FILES} "C:\\p\\torch\\lib\\c10.dll" or one of its dependencies.\n',
            "winget install Microsoft.VCRedist.2015+.x64",
            id="a library of Windows",
        ),
        pytest.param(
            f'limits:\n    cpu: "3000m"\n>>> os.cpu_count()\n96\n{THROTTLED}',
            "export OMP_NUM_THREADS=3 MKL_NUM_THREADS=3",
            id="thousandths of a CPU",
        ),
        pytest.param(
            f"$ cat /sys/fs/cgroup/cpu.max\n800000 100000\n{THROTTLED}",
            "export OMP_NUM_THREADS=8 MKL_NUM_THREADS=8",
            id="the quota of the kernel",
        ),
        pytest.param(
            f"the pod has cpu_limit=6, and its CPUs are throttled\n{THROTTLED}",
            "export OMP_NUM_THREADS=6 MKL_NUM_THREADS=6",
            id="a limit in words",
        ),
        pytest.param(
            "ImportError: /lib/aarch64-linux-gnu/libc.so.6: version `GLIBC_2.28' not found\n",
            "Run on a newer release of the system, or in a container of one",
            id="an image that ARM has not got",
        ),
        pytest.param(
            "cp: error writing '/data/a.tar': No space left on device\n",
            "du -xah /data/ ",
            id="where cp writes",
        ),
        pytest.param(
            "ERROR : a.tar: Failed to copy: write /d/a.tar: no space left on device\n",
            "du -xah /d/ ",
            id="where rclone writes",
        ),
        pytest.param(
            "OSError: [Errno 30] Read-only file system: '/mnt/hf_cache/datasets'\n",
            "export HF_DATASETS_CACHE=${SLURM_TMPDIR:-/tmp/cache-$(id -u)}/datasets",
            id="prepared datasets",
        ),
        pytest.param(
            "threads started by cv2: 4 * 8 * 32 = 1024, the node hardly answers\n",
            "import cv2\nimport torch\n",
            id="threads of OpenCV",
        ),
        pytest.param(THREADS, "export OMP_NUM_THREADS=1", id="threads of a library"),
        pytest.param(
            NO_THREAD, 'ulimit -S -u "$(ulimit -H -u)"', id="a limit that its user may raise"
        ),
        pytest.param(
            "MisconfigurationException: You requested gpu: [0, 1]\n"
            " But your machine only has: [0]\n",
            'Trainer(..., devices="auto")',
            id="GPUs of a trainer",
        ),
        pytest.param(
            "$ python val.py --device 3 --half\nAssertionError: Invalid CUDA --device 3 requested,"
            " use '--device cpu' or pass valid CUDA device(s)\n",
            "python val.py --device 0 --half",
            id="the GPU of a command",
        ),
        pytest.param(
            "AssertionError: Invalid CUDA --device 3 requested, use '--device cpu' or pass valid\n",
            "pass --device 0",
            id="the GPU of an option",
        ),
        pytest.param(
            "ImportError: dlopen: cannot load any more object with static TLS\n",
            "import sklearn",
            id="a library without a name",
        ),
    ],
)
def test_what_is_typed_first(log: str, wanted: str) -> None:
    assert wanted in first_text(log)


def test_none_of_the_user_where_he_has_no_limit() -> None:
    texts = [one.shell or one.snippet for one in list_remedies(UNLIMITED)]

    assert texts[0].startswith("export OMP_NUM_THREADS=1")
    assert not [text for text in texts if "nproc" in text]


def test_the_first_is_no_alternative() -> None:
    (first, *_) = list_remedies(
        "ImportError: dlopen: cannot load any more object with static TLS\n"
    )

    assert first.title == "Import what brings the library before torch and cv2"


def test_a_message_that_says_what_is_missing_needs_nothing_else() -> None:
    said = "Microsoft Visual C++ Redistributable is not installed, this may lead to the DLL load\n"

    (only,) = list_remedies(said)

    assert only.shell == "winget install Microsoft.VCRedist.2015+.x64"
