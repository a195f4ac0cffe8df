"""Find DataLoader arguments: probe, predict every setting, measure the best few."""
