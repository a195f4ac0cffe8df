"""What datasets keep and how they answer."""
