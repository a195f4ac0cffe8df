"""Where loaders are made, and which loops take their batches."""
