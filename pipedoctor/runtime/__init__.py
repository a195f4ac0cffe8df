"""Child processes that may hang and be abandoned, and files read through them."""
