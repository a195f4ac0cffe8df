"""Old and private APIs."""
