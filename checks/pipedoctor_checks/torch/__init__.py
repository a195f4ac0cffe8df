"""The torch installation and what is built against it."""
