"""The journal of fixes: durable, locked, and sealed by its owner."""
