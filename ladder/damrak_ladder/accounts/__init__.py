"""Who uses the site, and the tokens by which programs act for them."""
