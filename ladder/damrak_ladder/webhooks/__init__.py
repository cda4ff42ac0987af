"""Webhooks of users by the Standard Webhooks specification: endpoints, deliveries and retries."""
