"""The site as an ASGI application: `uvicorn damrak_ladder.asgi:application`."""

from __future__ import annotations

import django
from django.conf import settings
from django.core.asgi import get_asgi_application

from damrak_ladder.api.bodies import BoundedBodies
from damrak_ladder.installation.databases import pooled
from damrak_ladder.management import prepare
from damrak_ladder.statics.collecting import collect

prepare()
settings.DATABASES["default"] = pooled(settings.DATABASES["default"])
django.setup()
settings.STATIC_ROOT = collect(settings.DAMRAK_HOME / "static")  # before they are served
application = BoundedBodies(get_asgi_application())
