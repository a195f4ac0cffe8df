"""One file a format: a judged fleet as text, data, a page, or lines to paste."""
