"""Edit training code: exact ranges, tried in memory first, every other byte kept."""
