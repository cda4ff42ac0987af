"""What happens by itself: blocks are booked, played, recorded, settled, rated; the only Celery."""
