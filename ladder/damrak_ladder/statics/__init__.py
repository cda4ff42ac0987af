"""Style sheets, scripts and pictures: named by their content, so that browsers keep them."""
