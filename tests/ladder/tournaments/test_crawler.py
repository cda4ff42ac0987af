"""Every address of the site answers alike in two tournaments with opposite hidden outcomes.

In the knockout, the hidden pairings of one of the two are tied and need sudden death, so that also
the numbers of hidden blocks and matches differ.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from random import Random
from types import SimpleNamespace

import pytest
from django.test import override_settings
from django.utils import timezone
from django.utils.feedgenerator import SyndicationFeed

from damrak_ladder.accounts.models import User
from damrak_ladder.bots.models import Kind
from damrak_ladder.matches.attempts import start
from damrak_ladder.matches.booking import Table, book
from damrak_ladder.matches.entries import enter
from damrak_ladder.matches.flows import ladder_flow
from damrak_ladder.matches.models import Block, BlockState, Host, Ladder, Match, Purpose, Seat
from damrak_ladder.matches.record import record
from damrak_ladder.pipeline.outcome.settlement import settle
from damrak_ladder.pipeline.queue.dispatch import dispatch
from damrak_ladder.pipeline.queue.scheduler import schedule
from damrak_ladder.replays.storage import keep
from damrak_ladder.standings.fit.publication import publish
from damrak_ladder.time_ordered_ids import IdGenerator
from damrak_ladder.tournaments.disclosure import forget
from damrak_ladder.tournaments.duties import run_duties
from damrak_ladder.tournaments.models import Round
from damrak_ladder.tournaments.visibility import visible_blocks
from ladder.calls import MEMORY
from ladder.databases import empty
from ladder.flow import Player, some_host, tokens_of
from ladder.games import replay_of
from ladder.ladders import some_ladder
from ladder.people import NOW, somebody
from ladder.tables import PATIENCE
from ladder.tournaments.crawler import Answer, Crawler, Values, addresses
from ladder.tournaments.cups import STEP, act, by_number, entered_bot, some_league, started

ENTRANTS = 6
BLOCKS = 2
AFTERWARDS = NOW + 300 * STEP
LATER = NOW + 500 * STEP
MISSING = {"matches": 15 * "9", "blocks": 15 * "9", "tournaments": "absent"}
"""Keys of nothing, as long as the keys of what is hidden."""

STATUSES = {200, 204, 302, 401, 403, 404, 405, 422}

# What everybody may see does not depend on the database.
pytestmark = pytest.mark.parametrize(
    "committed", ["sqlite", pytest.param("postgresql", marks=pytest.mark.soak)], indirect=True
)


class Twin:
    """A site with a public ladder, a tournament with hidden rounds, and a private tournament.

    `sign` turns the hidden results around. The round that is under way has recorded, running and
    waiting blocks, and faults of the bot that loses. In a knockout, blocks of hidden pairings are
    tied if the sign is negative.

    `begin` is called with a part of the history and a random seed before its blocks are created.
    """

    def __init__(self, format_: str, sign: int, begin: Callable[[int, int], None]) -> None:
        self._format = format_
        self._sign = sign
        self._begin = begin
        begin(0, 0)
        self._player = Player(strength=self._strength, breaks=self._breaks)
        self._tokens = tokens_of(1)
        self._now = NOW
        some_host(workers=4)
        self._play_ladder()
        more = {"rounds": 4} if format_ == "swiss" else {"third_place": True}
        self.tournament, self.organiser = started(
            ENTRANTS, format_, blocks=BLOCKS, reveal="hidden", **more
        )
        self.private, _ = started(2, slug="secret", visibility="private")
        some_league(self.tournament, self.private)
        self.tournament.refresh_from_db()
        act(self.tournament, self.organiser, "release", {"round": 1, "level": "public"})
        act(self.tournament, self.organiser, "withdraw", {"entrant": ENTRANTS})
        self._play_until_third_round()
        self._play_ladder_afterwards()

    def values(self) -> Values:
        """Return the values of the parameters of addresses."""
        shown = visible_blocks(None).filter(state=BlockState.RECORDED)
        public = shown.filter(purpose="tournament").latest("pk").pk
        blocks = [public, *self.hidden(Block), MISSING["blocks"]]
        matches = [
            Match.objects.filter(block=public).latest("pk").pk,
            *self.hidden(Match),
            MISSING["matches"],
        ]
        versions = [
            Seat.objects.filter(version__bot__slug=slug).latest("pk").version_id
            for slug in ("cup-1", "secret-1")
        ]
        cups = ["cup", "secret", MISSING["tournaments"]]
        return {
            "matches/pk": matches, "matches/match_id": matches,
            "blocks/pk": blocks, "blocks/block_id": blocks,
            "seats/number": [0], "seats/seat": [0], "moments/eyes": ["all"],
            "ladders/slug": ["practice"], "ladders/ladder": ["practice"],
            "bots/slug": ["cup-1", "secret-1"], "versions/version_id": versions,
            "opponents/opponent_id": versions[:1],
            "/number": [1, 2, 3, 4],
            "tournaments/slug": cups, "entrants/bot": ["cup-1"], "withdraw/bot": ["cup-1"],
            "rounds/number": [1, 2, 3, 4],
            "chances/stage": [0],
            "reveal/stage": [0],
            "play/code": ["absent"], "tables/code": ["absent"], "feed/token": ["absent"],
            "organisers/name": ["cup-1"], "users/name": ["cup-1"],
            "puzzles/pk": [1],
            "acts/kind": ["pause", "disqualify"],
            "files/name": ["export.json", "standings.csv", "report.pdf", "0.trf"],
            "leagues/slug": ["league"], "rounds/stage": [0], "cross-table/stage": [0],
            "bracket/stage": [0], "owners/name": ["cup-1"], "authors/name": ["cup-1"],
            "trials/trial_id": [1], "tests/pk": [1], "tokens/token_id": [1], "tokens/pk": [1],
            "webhooks/endpoint_id": [1], "webhooks/pk": [1],
            "deliveries/delivery_id": [1], "deliveries/delivery": [1],
            "hosts/name": ["alpha"], "hosts/pk": [1], "users/pk": [1], "sessions/pk": [1],
            "sessions/session_id": [1], "puzzles/puzzle_id": [1],
            "follows/subject": ["bot", "tournament"], "/name": ["cup-1", *cups],
            "/section": ["bots", "matches", "tournaments", "pages"],
        }  # fmt: skip

    def hidden(self, model: type[Block] | type[Match]) -> list[int]:
        """Return one of the hidden blocks or matches in each state."""
        path = "" if model is Block else "block__"
        seen = visible_blocks(None).values("pk")
        rows = model._default_manager.exclude(**{f"{path}pk__in": seen}).order_by("pk")
        found = {str(state): key for state, key in rows.values_list(f"{path}state", "pk")}
        assert set(found) == {"recorded", "running", "waiting"}
        return [found[state] for state in sorted(found)]

    def finish(self) -> None:
        """Play to the end."""
        running = Block.objects.get(state=BlockState.RUNNING)
        record(self._player.report(running), self._now)
        settle(running.pk, self._now)
        for _ in range(20):
            self._step(16)
            run_duties(self._now)
        self.tournament.refresh_from_db()
        assert self.tournament.phase == "over"

    def _play_ladder(self) -> None:
        ladder = some_ladder()
        for slug in ("duck-1", "duck-2"):
            enter(ladder, entered_bot(slug, Kind.UPLOADED).bot, NOW)
        for _ in range(2):
            self._step(4)
        publish(ladder, self._now)
        ladder.is_open = False
        ladder.save()

    def _play_until_third_round(self) -> None:
        rounds = Round.objects.filter(stage__tournament=self.tournament)
        while not rounds.filter(number=3).exists():
            self._step(16)
            run_duties(self._now)
            if rounds.count() == 2:
                self._begin(1, self._sign)
        self._step(1)
        host, block, latest = self._player.orders[0]
        assert start(block, latest, host, self._now, PATIENCE, Host.objects.get().pk)
        assert Seat.objects.filter(result__fault="crash").exists()

    def _play_ladder_afterwards(self) -> None:
        """Play a public block that was booked after the hidden ones."""
        self._begin(2, 0)
        self._now = AFTERWARDS
        Host.objects.update(last_seen=self._now)
        ladder = Ladder.objects.get()
        versions = tuple(entry.bot.live for entry in ladder.entries.order_by("pk")[:2])
        table = Table(versions, "practice", Purpose.LADDER, ladder_flow(ladder), ladder=ladder)
        host = Host.objects.get()
        waiting = book(table, bytes(32), self._now)
        block = start(waiting.pk, 0, host.name, self._now, PATIENCE, host.pk)
        assert block is not None
        record(Player(seed=3).report(block), self._now)
        settle(block.pk, self._now)

    def _step(self, plays: int) -> None:
        """Book and order blocks, and play this many of them."""
        self._now += STEP
        Host.objects.update(last_seen=self._now)
        schedule(self._now, self._tokens)
        dispatch(self._now, self._player.send)
        orders, self._player.orders = self._player.orders, []
        self._player.orders = orders[:plays]
        self._player.play_all(self._now)
        self._player.orders = orders[plays:]

    def _strength(self, seat: Seat) -> float:
        if not _is_hidden(seat):
            return by_number(seat)
        is_sudden_death = seat.match.block.pairing_block.number > BLOCKS
        if self._format != "swiss" and self._sign < 0 and not is_sudden_death:
            return -100.0 * seat.number  # each entrant wins the game in which it has this seat
        return by_number(seat) * self._sign

    def _breaks(self, seat: Seat) -> str:
        loses = "-2" if self._sign > 0 else "-1"
        is_broken = _is_hidden(seat) and seat.version.bot.slug.endswith(loses)
        return "crash" if is_broken else ""


def _is_hidden(seat: Seat) -> bool:
    block = seat.match.block
    if block.purpose != Purpose.TOURNAMENT:
        return False
    made = block.pairing_block.pairing.round
    return made.number > 1 or made.stage.tournament.slug == "secret"


@dataclass(frozen=True)
class Crawl:
    """The answers to each viewer by address, and the hidden keys by the folder of their pages."""

    answers: dict[str, dict[str, Answer]]
    hidden: Mapping[str, list[str]]

    def renamed(self, viewer: str) -> dict[str, Answer]:
        """Return the answers with the same names for hidden keys, which differ between histories.

        Only addresses that contain such a key, and their answers, are changed.
        """
        answers = dict(self.answers[viewer])
        for folder in ("matches", "blocks"):
            for number, key in enumerate(self.hidden[folder]):
                name, known = f"{folder}-{number}", re.compile(rf"(?<!\d){key}(?!\d)")
                for address in filter(known.search, list(answers)):
                    answer = answers.pop(address).about(key, name)
                    answers[known.sub(name, address)] = answer
        return answers

    def unlike_missing(self, viewer: str) -> Iterator[str]:
        """Yield addresses of hidden things that do not answer as if these did not exist."""
        answers = self.answers[viewer]
        for folder, keys in self.hidden.items():
            missing = MISSING[folder]
            for key in keys:
                known = re.compile(rf"{folder}/{key}(?![\w-])")
                for address in filter(known.search, answers):
                    expected = answers[known.sub(f"{folder}/{missing}", address)]
                    if answers[address].about(key, missing) != expected.about(key, missing):
                        yield address

    def links(self, viewer: str) -> Iterator[str]:
        """Yield addresses of pages that link or name something hidden."""
        every = [f"{folder}/{key}" for folder, keys in self.hidden.items() for key in keys]
        known = re.compile(rf"({'|'.join(every)})(?![\w-])".encode())
        for address, answer in self.answers[viewer].items():
            if answer.status == 200 and known.search(answer.body):
                yield address


def crawled(format_: str, sign: int, begin: Callable[[int, int], None]) -> Crawl:
    """Play a tournament and return all answers, and those about tournaments after its end."""
    forget()
    twin = Twin(format_, sign, begin)
    values = twin.values()
    for key in values["matches/pk"][:-1]:
        match = Match.objects.get(pk=key)
        if match.block.state == BlockState.RECORDED:
            number = 0 if match.block_id == values["blocks/pk"][0] else sign + 1
            Match.objects.filter(pk=key).update(replay=keep(replay_of(match, number)).replay)
    crawlers = {
        "visitor": Crawler(None),
        "author": Crawler(somebody("eve")),
        "entrant": Crawler(User.objects.get(bots__slug=f"cup-{ENTRANTS}")),
    }
    found: dict[str, dict[str, Answer]] = {name: {} for name in crawlers}
    for name, crawler in crawlers.items():
        found[name] = {address: crawler.get(address) for address in addresses(values)}
    twin.finish()
    for name, crawler in crawlers.items():
        about = [one for one in found[name] if "/tournaments/cup" in one or "/bots/cup-" in one]
        found[name] |= {f"{one}#over": crawler.get(one) for one in about}
    hidden = {
        kind: [str(key) for key in values[f"{kind}/pk"][1:-1]] for kind in ("matches", "blocks")
    }
    return Crawl(found, hidden | {"tournaments": ["secret"]})


@pytest.fixture
def _constant(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stop the clock, and make secrets of the site constant."""
    patch = monkeypatch.setattr
    patch("damrak_ladder.tournaments.creation.secrets", SimpleNamespace(token_bytes=bytes))
    patch("django.middleware.csrf.get_random_string", lambda length, **_: "a" * length)
    patch("django.utils.cache.time", SimpleNamespace(time=LATER.timestamp))
    patch(timezone, "now", lambda: LATER)
    latest = SyndicationFeed.latest_post_date
    patch(SyndicationFeed, "latest_post_date", lambda one: latest(one) if one.items else LATER)


@pytest.fixture
def begin(monkeypatch: pytest.MonkeyPatch) -> Callable[[int, int], None]:
    """Return a function that stops the clock of ids in a part of the history.

    So public rows have the same ids in both histories, unless these depend on the hidden rows.
    """

    def stop(part: int, seed: int) -> None:
        moment = (datetime(2027, 1, 1, tzinfo=UTC) + part * timedelta(days=1)).timestamp()
        ids = IdGenerator(lambda: moment, Random(f"{part} {seed}").randrange)
        monkeypatch.setattr("damrak_ladder.time_ordered_ids._generate", ids)

    return stop


@pytest.mark.process
@pytest.mark.usefixtures("committed", "_constant")
@pytest.mark.parametrize("format_", ["swiss", "single-elimination"])
def test_every_address_answers_alike_for_opposite_hidden_outcomes(
    format_: str, begin: Callable[[int, int], None]
) -> None:
    with override_settings(CACHES=MEMORY, DAMRAK_NEEDS_SECOND_FACTOR=False):
        empty()  # earlier tests on this database may have used numbers of rows
        first = crawled(format_, 1, begin)
        games = Match.objects.count()
        empty()
        second = crawled(format_, -1, begin)
    assert (Match.objects.count() > games) == (format_ != "swiss")
    for viewer in first.answers:
        answers, others = first.renamed(viewer), second.renamed(viewer)
        assert {one.status for one in answers.values()} <= STATUSES
        assert answers.keys() == others.keys()
        assert [one for one in answers if answers[one] != others[one]] == []
        assert list(first.unlike_missing(viewer)) == []
        assert list(first.links(viewer)) == []
