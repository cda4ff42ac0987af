"""The website: its pages, forms, feeds, guides and match viewer."""
