"""The password of all users in tests; this module does not import Django."""

PASSWORD = "quays-and-gables"
