"""The site as an ASGI application: `uvicorn damrak_ladder.asgi:application`."""

from __future__ import annotations

from django.core.asgi import get_asgi_application

from damrak_ladder.api.bodies import BoundedBodies
from damrak_ladder.management import prepare

prepare()
application = BoundedBodies(get_asgi_application())
