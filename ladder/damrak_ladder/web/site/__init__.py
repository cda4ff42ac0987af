"""Parts of every page: layout, theme, headers, access, pagination, errors and search."""
