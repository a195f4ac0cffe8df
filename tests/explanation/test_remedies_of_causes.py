"""The first remedy is for what the log shows, and not for a more usual case of the same cause."""

import io

import pytest

from pipedoctor.explanation.explain import explain
from pipedoctor.facts import Facts
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
MAP_DIED = (
    "RuntimeError: One of the subprocesses has abruptly died during map operation.To debug the"
    " error, disable multiprocessing.\n"
)
ULTRALYTICS = '  File "/usr/lib/python3/dist-packages/ultralytics/nn/tasks.py", line 567, in load\n'
GATED = (
    "huggingface_hub.errors.GatedRepoError: 401 Client Error. Cannot access gated repo for url"
    " https://huggingface.co/acme/m/resolve/main/config.json.\n"
)
NO_NVCC = "MissingCUDAException: CUDA_HOME does not exist, unable to compile CUDA op(s)\n"
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
            f"Error executing job with overrides: ['model.train_ds.batch_size=32']\n{OOM}",
            "model.train_ds.batch_size=16",
            id="the size that an override names",
        ),
        pytest.param(
            "root@2b7f81a2a0f4:/w# ./train.sh 4 --initial-checkpoint /ckpt/base.pth\n"
            "RuntimeError: PytorchStreamReader failed reading zip archive: failed finding central"
            " directory\n",
            "mv -n /ckpt/base.pth /ckpt/base.pth.damaged",
            id="the file of an option",
        ),
        pytest.param(
            "Your session crashed after using all available RAM. View runtime logs\n",
            'array = np.load(path, mmap_mode="r")',
            id="a notebook without a loader",
        ),
        pytest.param(
            f"{MAP_DIED}Memory cgroup out of memory: Killed process 2207 (python3)\n",
            "dataset.map(..., num_proc=2",
            id="processes of a map",
        ),
        pytest.param(
            "ray.exceptions.OutOfMemoryError: Task was killed due to the node running low on"
            " memory.\n(name=RayTrainWorker.__init__, pid=811, memory used=27.73GB)\n",
            'ScalingConfig(..., resources_per_worker={"GPU": 1, "memory": 40 * 1024**3})',
            id="workers of Ray Train",
        ),
        pytest.param(
            "ray.exceptions.OutOfMemoryError: Task was killed due to the node running low on"
            " memory.\n",
            "@ray.remote(memory=24 * 1024**3)",
            id="a task of Ray",
        ),
        pytest.param(
            f"{ULTRALYTICS}_pickle.UnpicklingError: Weights only load failed.\n",
            "python -m pip install --upgrade ultralytics",
            id="a library that is older than torch 2.6",
        ),
        pytest.param(
            f"!pip install ultralytics\n{ULTRALYTICS}"
            "_pickle.UnpicklingError: Weights only load failed.\n",
            "%pip install --upgrade ultralytics",
            id="the same in a cell",
        ),
        pytest.param(
            f"workerpool0-0 {GATED}",
            '"containerSpec": {"env": [{"name": "HF_TOKEN"',
            id="a token for Vertex AI",
        ),
        pytest.param(
            f"algo-1 {GATED}", 'PyTorch(..., environment={"HF_TOKEN":', id="a token for SageMaker"
        ),
        pytest.param(
            f'Attaching to t-1\n  File "/opt/conda/lib/python3.11/x.py"\n{NO_NVCC}',
            "RUN conda install -y",
            id="a compiler in an image of conda",
        ),
        pytest.param(
            f"Attaching to t-1\n{NO_NVCC}", "Build on the -devel image", id="an image with one"
        ),
        pytest.param(NO_NVCC, "conda install -y", id="a compiler on a machine"),
        pytest.param(
            "torch                     2.4.0+cu121\ntorch_scatter             2.1.2+pt23cu121\n"
            "torch_sparse              0.6.18+pt23cu121\n"
            "OSError: /e/site-packages/torch_sparse/_version.so: undefined symbol: _ZN5torch3\n",
            "torch_scatter torch_sparse -f https://data.pyg.org/whl/torch-2.4.0+cu121.html",
            id="all extensions of one torch",
        ),
        pytest.param(
            "slurmstepd: error: *** JOB 7 ON n1 CANCELLED AT 2025-02-18T21:00:27 DUE TO TIME LIMIT"
            " ***\nRuntimeError: unable to go on\n",
            "#SBATCH --time=24:00:00",
            id="time of Slurm",
        ),
        pytest.param(
            "slurmstepd: error: *** JOB 7 ON n1 CANCELLED AT 2025-02-18T21:00:27 DUE TO PREEMPTION"
            " ***\n",
            "#SBATCH --requeue",
            id="a job that is preferred",
        ),
        pytest.param(
            "=>> PBS: job killed: walltime 43215 exceeded limit 43200\n",
            "qsub -l walltime=24:00:00",
            id="time of PBS",
        ),
        pytest.param(
            "TERM_RUNLIMIT: job killed after reaching LSF run time limit.\n",
            "#BSUB -W 24:00",
            id="time of LSF",
        ),
        pytest.param(
            "Warning  DeadlineExceeded  3m  job-controller  Job was active longer than specified"
            " deadline\n",
            "activeDeadlineSeconds: 86400",
            id="time of Kubernetes",
        ),
        pytest.param(
            "Failed to load libnvcuvid.so, needed by the VideoReader operator.\n",
            "docker run -e NVIDIA_DRIVER_CAPABILITIES=compute,utility,video",
            id="a library for video",
        ),
        pytest.param(
            "ImportError: libEGL_nvidia.so.0: cannot open shared object file\n",
            "docker run -e NVIDIA_DRIVER_CAPABILITIES=compute,utility,graphics",
            id="a library for graphics",
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


def test_frames_of_cython_are_nobodys_own() -> None:
    log = (
        "Traceback (most recent call last):\n"
        '  File "pandas/_libs/hashtable_class_helper.pxi", line 2606, in pandas._libs.get_item\n'
        "KeyError: 2\nThe above exception was the direct cause of the following exception:\n"
        "Traceback (most recent call last):\n"
        '  File "/opt/ml/code/dataset.py", line 24, in __getitem__\n'
        '    text = self.df["review"][idx]\nKeyError: 2\n'
    )

    said = explain(io.BytesIO(log.encode()), facts=lambda _: Facts())

    assert said.fault is not None
    assert (said.fault.path, said.fault.line) == ("/opt/ml/code/dataset.py", 24)
