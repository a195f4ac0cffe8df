"""Disks, the files of datasets, and the places that a job writes to."""
