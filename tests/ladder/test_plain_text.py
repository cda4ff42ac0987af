"""Texts of users are shown without control characters for terminals or text direction."""

from __future__ import annotations

import json
import logging

import pytest
from django.template import engines
from django.utils import timezone
from hypothesis import given, strategies as st

from damrak_ladder.bots.models import Bot
from damrak_ladder.commands.output import say, say_json, say_table
from damrak_ladder.installation.logs import JsonLines
from damrak_ladder.matches.models import Seat, SeatLog
from damrak_ladder.notices.mail import mail_of
from damrak_ladder.notices.models import Notice
from damrak_ladder.notices.webhooks import body_of
from damrak_ladder.plain_text import plain_text, plain_values
from ladder.bot_versions import some_bot, some_version
from ladder.calls import Program
from ladder.people import NOW, somebody
from ladder.tables import some_block
from ladder.visitors import page, visitor

BAD = "\x1b[31m\u202e\u2066\u2069\u200f\u061c\x9b\x07\x00\x7f"
EVIL = f"a{BAD}b\u00e9\u2013\tc\n"
GOOD = "a[31mb\u00e9\u2013\tc\n"
STEERS = set(BAD) - set("[31m")


@given(st.text())
def test_only_what_steers_is_removed(text: str) -> None:
    assert not STEERS & set(plain_text(text))
    assert plain_text(plain_text(text)) == plain_text(text)
    if text.isprintable():
        assert plain_text(text) == text


def test_values_are_plain_to_the_last() -> None:
    assert plain_text(EVIL) == GOOD
    assert plain_values({EVIL: [EVIL, 1, None, (EVIL,)]}) == {GOOD: [GOOD, 1, None, [GOOD]]}


def test_every_template_is_plain() -> None:
    rendered = engines["django"].from_string("<p>{{ text }}</p>").render({"text": EVIL})
    assert rendered == f"<p>{GOOD}</p>"


def test_terminal_and_log_are_plain(capsys: pytest.CaptureFixture[str]) -> None:
    say(EVIL)
    say_json({"text": EVIL})
    say_table([{"text": EVIL}], "none")
    shown = capsys.readouterr().out
    assert not STEERS & set(shown)
    assert json.loads(shown[shown.index("{") : shown.index("}") + 1])["text"]
    line = JsonLines().format(logging.makeLogRecord({"msg": f"x{EVIL}", "args": (), "levelno": 20}))
    assert not STEERS & set(line)


@pytest.mark.usefixtures("database")
def test_pages_interface_mails_and_webhooks_are_plain() -> None:
    ann = somebody()
    bot = some_bot("canal-rat", "bob")
    Bot.objects.filter(pk=bot.pk).update(name=f"rat{EVIL.replace(chr(0), '')}")
    version = some_version(bot)
    block = some_block((version, version), timezone.now())
    seat = Seat.objects.filter(match__block=block).earliest("pk")
    SeatLog.objects.create(seat=seat, attempt=1, output=EVIL.replace("\x00", ""))
    place = f"matches/{seat.match_id}/seats/{seat.number}/log"
    owner = visitor(bot.owner)
    for path in ("/bots/canal-rat/", "/bots/canal-rat/1/", f"/{place}/"):
        text = page(owner, path)
        assert not STEERS & set(text), path
    assert "a[31mb" in text  # the log, without control characters
    program = Program(bot.owner)
    for path in (place, "bots/canal-rat"):
        said = program.get(path).content.decode()
        assert not STEERS & set(json.dumps(json.loads(said), ensure_ascii=False)), path
        assert not STEERS & set(_texts(json.loads(said))), path
    notice = Notice(
        user=ann, kind="failed", subject="s" + BAD, text=EVIL, link="/x", created=NOW, pk=1
    )
    mail = mail_of(ann, [notice])
    assert not STEERS & set(mail.subject + str(mail.body))
    assert not STEERS & set(_texts(json.loads(body_of(notice))))


def _texts(value: object) -> str:
    if isinstance(value, dict):
        return "".join(map(_texts, value.values()))
    if isinstance(value, list):
        return "".join(map(_texts, value))
    return str(value)
