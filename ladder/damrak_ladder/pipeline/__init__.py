"""The pipeline: blocks are booked, played, recorded, settled and rated, by Celery tasks."""
