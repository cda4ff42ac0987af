"""A generated history of any size, to benchmark a site and to look at a full one."""
