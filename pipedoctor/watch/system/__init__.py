"""What the kernel and the GPU driver say: counters of processes, limits of a job, GPUs."""
