"""Names of people, hosts and customers: where they stand, and what stands for them."""
