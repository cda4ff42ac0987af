"""A made-up past, as large as wanted, to measure a site on and to look at one that is full."""
