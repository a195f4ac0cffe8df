"""The Python environment: interpreter, packages, and the records of both."""
