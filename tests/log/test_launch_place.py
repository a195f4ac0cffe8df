"""Every mark of a launcher or container is found behind the signs that select its lines."""

import pytest

from pipedoctor.log.launch_place import LaunchPlaceDetector

LINES = {
    "kubernetes": """[pod/train-0/main] step 1
2026-03-01T12:00:00.000000000Z stdout F step 1
Reason: OOMKilled
train-0 0/1 CrashLoopBackOff
kubelet Created
kubectl -n ml logs train-0
Pod ephemeral local storage usage exceeds
Usage of EmptyDir volume "shm" exceeds
Reason:  Evicted
Listening on eth0:10.244.1.7
Warning FailedScheduling
job-controller Created
BackoffLimitExceeded
default-scheduler 0/3 nodes
pod/train created
KUBERNETES_SERVICE_HOST=10.0.0.1
/var/run/secrets/kubernetes.io/token
kind: Job""",
    "slurm": """slurmstepd: error
srun: error
sbatch: error
salloc: Granted
$ squeue -u me
$ sacct -j 1
$ scontrol show job 1
$ sinfo
SLURM_JOB_ID=1
#SBATCH --mem=4G
/var/spool/slurmd/job1
OUT_OF_ME+
JobID|State""",
    "docker": """docker run image
podman exec it
$ podman stats
Error response from daemon: no
#12 [4/5] RUN pip install
process "/bin/sh -c pip install" failed
Step 3/9 : RUN pip install
 => ERROR [4/5] RUN pip install
trainer-1  | step 1
Starting Docker container
Using Docker image
failed to register layer
nvidia-container-cli: error
This container was built for NVIDIA
NVIDIA Deep Learning Container License
Status: Image is up to date for image
root@0123456789ab:/work""",
}
CASES = [(place, line) for place, text in LINES.items() for line in text.split("\n")]


@pytest.mark.parametrize(("place", "line"), CASES)
def test_every_mark_has_a_sign(place: str, line: str) -> None:
    detector = LaunchPlaceDetector()
    detector.read_line(line)
    assert detector.find_place() == place
