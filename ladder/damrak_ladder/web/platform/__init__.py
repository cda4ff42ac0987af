"""The pages about the platform: hosts, queue and runtime."""
