"""The processes of the pipeline, and the Celery tasks that they run."""
