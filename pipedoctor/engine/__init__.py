"""Find the installed checks, run them over facts, rank what they find."""
