"""The site: pages that say what is so, and forms that change it."""
