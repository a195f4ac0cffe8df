"""A report is data; each module here turns it into one format."""
