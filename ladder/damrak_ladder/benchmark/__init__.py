"""How fast the site and the whole platform are: what `damrak-ladder bench` measures."""
