"""What names and values stand for, across files."""
