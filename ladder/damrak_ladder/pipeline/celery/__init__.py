"""Celery: the application, its queues, its schedule, and messages to its workers."""
