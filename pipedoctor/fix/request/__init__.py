"""What the user asks for, and the plans that it comes to on this machine."""
