"""What keeps a job from its start: the remedy is typed where the log was written."""

import pytest

from tests.explanation.test_remedies_of_logs import first_text

DESCRIBE = "$ kubectl describe pod seg-0\n"
UNBOUND = "0/3 nodes are available: 3 pod has unbound immediate PersistentVolumeClaims.\n"
PULL = '  Warning  Failed  9s  kubelet  Failed to pull image "r.example.org/t:2": rpc error: {}\n'
PEER = "NCCL WARN Cuda failure 217 'peer access is not supported between these two devices'\n"
UNHANDLED = "NCCL error in: NCCLUtils.hpp:317, unhandled cuda error, NCCL version 2.26.2\n"
MANAGER = 'RuntimeError: torch_shm_manager at "/e/torch/bin/torch_shm_manager": execl failed: {}\n'
SOLVE = "LibMambaUnsatisfiableError: Encountered problems while solving:\n"
NO_NAME = (
    "[W socket.cpp:697] [c10d] The IPv4 network addresses of ({}, 29500) cannot be retrieved"
    " (gai error: -2 - Name or service not known).\n"
)


@pytest.mark.parametrize(
    ("log", "wanted"),
    [
        pytest.param(PEER, "export NCCL_P2P_DISABLE=1", id="no peer access"),
        pytest.param(
            f"$ docker run --gpus all t:1 torchrun a.py\n{PEER}",
            "docker run -e NCCL_P2P_DISABLE=1",
            id="no peer access in a container",
        ),
        pytest.param(UNHANDLED, "export NCCL_DEBUG=INFO", id="no reason is told"),
        pytest.param(
            MANAGER.format("Permission denied"),
            "chmod +x /e/torch/bin/torch_shm_manager",
            id="a program without permission",
        ),
        pytest.param(
            MANAGER.format("Permission denied") + "/dev/sdb1 on /e type ext4 (rw,noexec)\n",
            "noexec: put the environment into a folder",
            id="a file system without programs",
        ),
        pytest.param(
            f"$ conda install pytorch-gpu\n{SOLVE}"
            "  - nothing provides __cuda needed by pytorch-gpu-2.7.1-cuda128_mkl_py312h\n",
            "export CONDA_OVERRIDE_CUDA=12.8\nconda install pytorch-gpu",
            id="the CUDA of the build",
        ),
        pytest.param(
            f"$ mamba create -n a pytorch-gpu\n{SOLVE}"
            "  - nothing provides __cuda >=12.9 needed by libtorch-2.8.0-cuda129_h1\n",
            "export CONDA_OVERRIDE_CUDA=12.9\nmamba create -n a pytorch-gpu",
            id="the CUDA that is asked for",
        ),
        pytest.param(SOLVE, "Create a new environment with all packages", id="other pins"),
        pytest.param(
            DESCRIBE + NO_NAME.format("fit-0.ranks.ml.svc.cluster.local"),
            "kind: Service\nmetadata:\n  name: ranks\n",
            id="the Service of the pods",
        ),
        pytest.param(
            DESCRIBE + NO_NAME.format("fit-0"),
            "names of pods alone are not looked up",
            id="the name of a pod",
        ),
        pytest.param(
            NO_NAME.format("n7") + "slurmstepd: error: *** STEP 7.0 ON n8 CANCELLED ***\n",
            "export MASTER_ADDR=$(scontrol show hostnames",
            id="the first node of Slurm",
        ),
        pytest.param(NO_NAME.format("localhost"), "'127.0.0.1 localhost'", id="localhost"),
        pytest.param(
            f"{DESCRIBE}{UNBOUND}$ kubectl get pvc\nNAME   STATUS   VOLUME\n"
            "tiles   Pending                     local   4m\n",
            "kubectl describe pvc tiles",
            id="a claim without a volume",
        ),
        pytest.param(DESCRIBE + UNBOUND, "kubectl describe pvc", id="no claim is named"),
        pytest.param(
            DESCRIBE + '  Warning  Failed  9s  kubelet  Error: configmap "paths" not found\n',
            "kubectl get configmap",
            id="a ConfigMap that is not there",
        ),
        pytest.param(
            DESCRIBE + PULL.format("code = Unknown desc = 401 Unauthorized"),
            "kubectl create secret docker-registry regcred",
            id="an image of others",
        ),
        pytest.param(
            DESCRIBE + PULL.format("manifest unknown"),
            "The image does not exist under this name",
            id="a tag that is not there",
        ),
    ],
)
def test_the_first_remedy(log: str, wanted: str) -> None:
    assert wanted in first_text(log)
