"""Links from answers to other operations, which clients and tests can follow."""

from __future__ import annotations

from typing import Any, Final

_BODY: Final = "$response.body#/"

LINKS: Final[dict[str, dict[str, dict[str, str]]]] = {
    "create_bot": {
        "get_bot": {"slug": "slug"},
        "list_versions": {"slug": "slug"},
        "submit_archive": {"slug": "slug"},
        "register_remote": {"slug": "slug"},
    },
    "submit_archive": {
        "get_version": {"version_id": "id"},
        "list_steps": {"version_id": "id"},
        "list_failures": {"version_id": "id"},
    },
    "register_remote": {
        "get_version": {"version_id": "version/id"},
        "list_steps": {"version_id": "version/id"},
    },
    "start_trial": {"get_trial": {"trial_id": "id"}, "cancel_trial": {"trial_id": "id"}},
    "list_ladders": {"get_ladder": {"slug": "0/slug"}, "list_ratings": {"slug": "0/slug"}},
    "list_ratings": {
        "get_version": {"version_id": "0/version_id"},
        "get_bot": {"slug": "0/bot"},
    },
    "list_bots": {"get_bot": {"slug": "0/slug"}},
    "get_match": {
        "get_replay": {"match_id": "id"},
        "get_analysis": {"match_id": "id"},
    },
}
"""For each operation its links: operation, parameter, and pointer into the answer."""


def links_of(operation: str) -> dict[str, Any]:
    """Return the links of the successful answer of this operation."""
    return {
        target: {
            "operationId": target,
            "parameters": {name: _BODY + pointer for name, pointer in parameters.items()},
        }
        for target, parameters in LINKS.get(operation, {}).items()
    }
