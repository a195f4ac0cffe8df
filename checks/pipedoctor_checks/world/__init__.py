"""Tables about the world, as data; every row has its source and its date."""
