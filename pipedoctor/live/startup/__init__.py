"""A folder for PYTHONPATH: its sitecustomize puts clocks into a program that is started."""
