"""Talk with the user: what is asked, refused and reported while a plan is carried out."""
