"""First remedies of jobs in a scheduler, a service, a notebook, or a framework of their own."""

import io

import pytest

from pipedoctor.explanation.explain import explain
from pipedoctor.facts import Facts
from tests.explanation.test_remedies_of_logs import first_text

OOM = "RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB (GPU 0; 7.80 GiB total)\n"
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


@pytest.mark.parametrize(
    ("log", "wanted"),
    [
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
            "$ kubectl logs train-vit-2 -n research\nOSError: [Errno 107] Transport endpoint is not"
            " connected: '/gcs/imagenet/train/a.jpg'\n$ kubectl describe pod train-vit-2 -n"
            " research\n  gke-gcsfuse-sidecar:\n    Reason:       OOMKilled\n",
            'kubectl patch statefulset train-vit --patch \'{"spec":{"template":{"metadata":'
            '{"annotations":{"gke-gcsfuse/memory-limit":"2Gi"}}}}}\' --namespace research',
            id="memory of what mounts a bucket",
        ),
        pytest.param(
            "w-0:91:91 [0] NCCL INFO Bootstrap : Using eth0:10.244.3.7<0>\n"
            "NCCL WARN Call to ibv_reg_mr failed with error Cannot allocate memory\n",
            "- IPC_LOCK",
            id="locked memory of a pod",
        ),
        pytest.param(
            "$ docker run -v /mnt/ssd/sets:/data t:5 python train.py --data /data/i100\n"
            "ValueError: num_samples should be a positive integer value, but got num_samples=0\n"
            "$ ls /mnt/ssd/sets\n$ mount | grep ssd\n",
            "sudo mount -a\nls /mnt/ssd/sets",
            id="an empty folder of the host",
        ),
        pytest.param(
            "RuntimeError: Detected mismatch between collectives on ranks. Rank 0 is running"
            " collective: ALLREDUCE, but Rank 1 is running collective: BARRIER\n",
            "torch.distributed.barrier()  # outside of",
            id="ranks that call different collectives",
        ),
        pytest.param(
            "touch: cannot touch '/data/x': Read-only file system\nblk_update_request: I/O error,"
            " dev nvme1n1, sector 9 op 0x1\nEXT4-fs error (device nvme1n1p1): ext4_journal: x\n"
            "EXT4-fs (nvme1n1p1): Remounting filesystem read-only\n",
            "sudo umount /dev/nvme1n1p1\nsudo fsck -f /dev/nvme1n1p1\n",
            id="the file system, and not its disk",
        ),
        pytest.param(
            "Warning  Evicted  2m  kubelet  The node was low on resource: memory. Container train"
            " was using 58120340Ki, request is 4Gi, has larger consumption of memory.\n",
            "requests:\n          memory: 63Gi",
            id="more than was requested",
        ),
        pytest.param(
            "Warning  Evicted  2m  kubelet  The node was low on resource: memory. Container train"
            " was using 56Gi, request is 4Gi, has larger consumption of memory.\n",
            "requests:\n          memory: 63Gi",
            id="more than was requested, in whole GiB",
        ),
        pytest.param(
            "ClientError: An error occurred (RequestTimeTooSkewed) when calling GetObject\n",
            "sudo timedatectl set-ntp true",
            id="a clock",
        ),
        pytest.param(
            "torch                    2.5.1+cu121\nValueError: Due to a serious vulnerability issue"
            " we now require users to upgrade torch to at least v2.6\n",
            "torch==2.6.0 torchvision==0.21.0 --index-url https://download.pytorch.org/whl/cu124",
            id="a torch that may load",
        ),
        pytest.param(
            "19: gn0019:4120:4491 [3] NCCL INFO NET/IB: Async event: port error on mlx5_3:1\n"
            "NCCL WARN NET/IB : Got completion from peer 10.20.0.12 with status=12 opcode=129\n"
            "srun: error: gn0019: task 19: Exited with exit code 1\n",
            "#SBATCH --exclude=gn0019",
            id="a port of InfiniBand",
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
    ],
)
def test_what_is_typed_first(log: str, wanted: str) -> None:
    assert wanted in first_text(log)


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
