"""What a watch gives out: lines of text and JSON, a recording, metrics for Prometheus."""
