"""The only code that reads the machine: one module a section of facts."""
