"""From what was typed, and from configuration files, to one typed request a command."""
