"""URL paths of the site's health checks."""

from typing import Final

PATH: Final = "/healthz"
LIVE: Final = "/healthz/live"
READY: Final = "/healthz/ready"
HOSTS: Final = "/healthz/hosts"
