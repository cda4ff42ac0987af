"""`damrak mcp`, used through the client of the package `mcp` over standard input and output."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sdk.sites import Site, running_site

pytestmark = pytest.mark.process

mcp = pytest.importorskip("mcp")

PUBLIC = {
    *("list_matches", "summarise_replay", "show_standings", "compare_versions", "show_queue"),
}
READ = {"follow_submission", "read_failures", "read_log"}
SUBMIT = {"submit_bot", "make_live"}

SOME_MATCHES = """
import sys
sys.path.insert(0, {tests!r})
from django.conf import settings
from ladder.sites import fill
fill(now, blocks=6, replays=2)
"""

TOKEN = """
from damrak_ladder.accounts.roles import Role, grant
from damrak_ladder.accounts.tokens import issue
user = User.objects.get(username={name!r})
if {role!r}:
    grant(user, Role({role!r}))
print(issue(user, "t" + str(user.api_tokens.count()), {scopes!r}, now)[1])
"""

CUP = """
from damrak_ladder.tournaments.creation import Plan, create
rules = {"stages": [{"format": "swiss"}], "boards": ["practice"]}
ada = User.objects.get(username="ada")
create(ada, Plan("cup", "Cup", rules), now, is_platform=True)
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with running_site(tmp_path_factory.mktemp("home")) as made:
        made.say(SOME_MATCHES.format(tests=str(Path(__file__).parents[2])))
        made.say(CUP)
        yield made


def token(site: Site, *scopes: str, name: str = "ada", role: str = "") -> str:
    return site.say(TOKEN.format(name=name, scopes=scopes, role=role))


def use(site: Site, tmp_path: Path, secret: str, doing: Any) -> Any:
    """Run a coroutine function with a client of a server with this token."""
    more = {"DAMRAK_API_TOKEN": secret} if secret else {}
    server = mcp.StdioServerParameters(
        command=sys.executable,
        args=["-m", "damrak", "mcp", "--to", site.url, "--folder", str(tmp_path)],
        env=site.for_damrak(tmp_path, **more),
    )

    async def run() -> Any:
        async with mcp.Client(server) as client:
            return await doing(client)

    return asyncio.run(run())


async def call(client: Any, tool: str, **arguments: Any) -> Any:
    answer = await client.call_tool(tool, arguments)
    assert not answer.is_error, answer.content
    return json.loads(answer.content[0].text)


async def refusal(client: Any, tool: str, **arguments: Any) -> str:
    answer = await client.call_tool(tool, arguments)
    assert answer.is_error, answer.content
    return str(answer.content[0].text)


@pytest.mark.parametrize(
    ("scopes", "role", "expected"),
    [
        ((), "", PUBLIC),
        (("read",), "", PUBLIC | READ),
        (("read", "submit"), "", PUBLIC | READ | SUBMIT),
        (("read", "tournaments:run"), "organiser", PUBLIC | READ | {"act_on_tournament"}),
    ],
)
def test_only_tools_that_the_token_permits_are_listed(
    site: Site, tmp_path: Path, scopes: tuple[str, ...], role: str, expected: set[str]
) -> None:
    async def doing(client: Any) -> Any:
        return (await client.list_tools()).tools

    secret = token(site, *scopes, role=role) if scopes else ""
    tools = use(site, tmp_path, secret, doing)
    assert {tool.name for tool in tools} == expected
    for tool in tools:
        assert tool.description
        assert tool.annotations.read_only_hint == (tool.name in PUBLIC | READ)


def test_matches_replays_and_comparisons_are_read(site: Site, tmp_path: Path) -> None:
    async def doing(client: Any) -> None:
        page = await call(client, "list_matches", ladder="amsterdam", limit=2)
        match = page["items"][0]
        more = await call(
            client, "list_matches", ladder="amsterdam", limit=2, cursor=page["next_cursor"]
        )
        assert more["items"][0]["id"] < match["id"]
        (with_replay,) = (await call(client, "list_matches", limit=1))["items"]
        number = with_replay["id"]
        summary = await call(client, "summarise_replay", match=number)
        assert sorted(seat["place"] for seat in summary["seats"])[0] == 1
        assert sum(seat.get("claims", 0) for seat in summary["seats"]) == len(summary["claims"])
        (templates,) = (await client.list_resource_templates()).resource_templates
        assert templates.uri_template == "damrak://matches/{match}/replay"
        found = await client.read_resource(f"damrak://matches/{number}/replay")
        replay = json.loads(found.contents[0].text)
        assert replay["format"] == "damrak-replay/1"
        assert len(replay["events"]) == summary["events"]
        table = await call(client, "show_standings", ladder="amsterdam")
        first, second = (row["bot"] for row in table["rows"][:2])
        both = await call(
            client, "compare_versions", bot=first, other_bot=second, ladder="amsterdam"
        )
        assert [one["bot"] for one in both["versions"]] == [first, second]
        assert "amsterdam" in (await call(client, "show_standings"))["ladders"]
        unknown = await refusal(client, "summarise_replay", match=999999)
        assert "no match 999999: damrak matches lists those there are" in unknown
        assert "cursor" in await refusal(client, "list_matches", cursor="x")

    use(site, tmp_path, "", doing)


def test_a_bot_is_submitted_and_followed(site: Site, tmp_path: Path) -> None:
    folder = tmp_path / "ferry"
    folder.mkdir()
    (folder / "bot.py").write_text("from damrak import Bot\n\n\nclass Ferry(Bot):\n    pass\n")

    async def doing(client: Any) -> None:
        made = await call(client, "submit_bot", place="ferry", bot="ferry", note="first")
        assert made["bot_created"]
        assert made["version"]["number"] == 1
        journey = await call(client, "follow_submission", bot="ferry")
        assert journey["version"]["id"] == made["version"]["id"]
        assert journey["steps"][0]["kind"] == "received"
        failures = await call(client, "read_failures", bot="ferry")
        assert failures["failures"] == []
        assert "qualified" in await refusal(client, "make_live", bot="ferry", version=1)
        assert "below" in await refusal(client, "submit_bot", place="..", bot="ferry")
        assert "belongs" in await refusal(client, "submit_bot", place="ferry", bot="tulip")

    use(site, tmp_path, token(site, "read", "submit"), doing)


def test_an_act_is_previewed_unless_it_is_confirmed(site: Site, tmp_path: Path) -> None:
    async def doing(client: Any) -> None:
        act = {"tournament": "cup", "kind": "open"}
        seen = await call(client, "act_on_tournament", **act)
        assert seen["dry_run"]
        assert seen["changes"]["phase"] == {"before": "draft", "after": "open"}
        assert (await call(client, "act_on_tournament", **act))["changes"] == seen["changes"]
        done = await call(client, "act_on_tournament", **act, dry_run=False)
        assert (done["dry_run"], done["changes"]) == (False, seen["changes"])
        text = await refusal(client, "act_on_tournament", **act)
        assert "open" in text

    secret = token(site, "read", "tournaments:run", role="organiser")
    use(site, tmp_path, secret, doing)


def test_refused_arguments_are_named_with_the_remedy(site: Site, tmp_path: Path) -> None:
    async def doing(client: Any) -> list[str]:
        return [
            await refusal(client, "summarise_replay"),
            await refusal(client, "summarise_replay", match="soon"),
            await refusal(client, "compare_versions", first="canal-rat"),
        ]

    missing, wrong, other = use(site, tmp_path, "", doing)
    assert missing.startswith("match: it is missing (see the input schema of summarise_replay")
    assert wrong.startswith("match: Input should be a valid integer")
    assert "it is missing" in other
    for one in (missing, wrong, other):
        assert "call it again" in one
        assert "pydantic" not in one
