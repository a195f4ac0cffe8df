"""Which step of a measured pipeline is the bottleneck, and what workers contend for."""
