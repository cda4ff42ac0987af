"""The ASGI application of the site: `uvicorn damrak_ladder.asgi:application`."""

from __future__ import annotations

import gc

import django
from django.conf import settings
from django.core.asgi import get_asgi_application
from django.urls import get_resolver

from damrak_ladder.api.bodies import LARGEST, BoundedBodies
from damrak_ladder.installation.databases import pooled
from damrak_ladder.management import prepare
from damrak_ladder.statics.collection import collect

prepare()
settings.DATABASES["default"] = pooled(settings.DATABASES["default"])
django.setup()

from damrak_ladder.api.streams.handover import Streams  # noqa: E402 - needs the applications

settings.STATIC_ROOT = collect(settings.DAMRAK_HOME / "static")  # before the first request
_uploads = max(LARGEST, (settings.DAMRAK_UPLOAD_MB + 1) << 20)
application = Streams(BoundedBodies(get_asgi_application(), uploads=_uploads))

# A full garbage collection over all imported objects would delay a page by a tenth of a second.
get_resolver().url_patterns  # noqa: B018 - imports all views
gc.collect()
gc.freeze()
gc.set_threshold(10_000, 10, 20)  # a page of a ladder creates and drops thousands of objects
