"""What values of training code are: one model, asked for as far as somebody needs it."""
