"""What one installation is: its data folder, its database, its secrets. No Django in here."""
