"""The same examination over many nodes: reports in, outliers out."""
