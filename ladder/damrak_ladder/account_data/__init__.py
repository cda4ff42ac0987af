"""Personal data of a user across all tables: export and deletion."""
