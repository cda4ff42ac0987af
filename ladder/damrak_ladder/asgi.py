"""The site as an ASGI application: `uvicorn damrak_ladder.asgi:application`."""

from __future__ import annotations

import gc

import django
from django.conf import settings
from django.core.asgi import get_asgi_application
from django.urls import get_resolver

from damrak_ladder.api.bodies import BoundedBodies
from damrak_ladder.installation.databases import pooled
from damrak_ladder.management import prepare
from damrak_ladder.statics.collecting import collect

prepare()
settings.DATABASES["default"] = pooled(settings.DATABASES["default"])
django.setup()
settings.STATIC_ROOT = collect(settings.DAMRAK_HOME / "static")  # before they are served
application = BoundedBodies(get_asgi_application())

# A full collection that goes through all that was imported holds a page up for a tenth of a second.
get_resolver().url_patterns  # noqa: B018 - imports every page
gc.collect()
gc.freeze()
gc.set_threshold(10_000, 10, 20)  # a page of a ladder makes and drops thousands of objects
