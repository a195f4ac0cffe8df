"""Replace files whole or not at all, and hold on to the file that was shown."""
