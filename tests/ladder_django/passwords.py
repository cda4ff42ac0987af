"""The password of everybody in tests; a module without Django, for those who only type it."""

PASSWORD = "quays-and-gables"
