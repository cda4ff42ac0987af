"""Static files, named by their content, so that browsers can cache them."""
