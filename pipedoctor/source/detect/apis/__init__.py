"""What functions of libraries do: tables with a row an API, its effect and its source."""
