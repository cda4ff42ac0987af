"""Where the site answers questions about health."""

from typing import Final

PATH: Final = "/healthz"
LIVE: Final = "/healthz/live"
READY: Final = "/healthz/ready"
HOSTS: Final = "/healthz/hosts"
