"""Secrets do not appear in logs, folders or messages to other bots."""

from __future__ import annotations

import signal
from threading import Thread

import grpc
import pytest

from damrak_referee.lobby.tokens import hash_token
from damrak_wire.lobby import BotToken, Call
from damrak_wire.orders import House, Open, Remote
from damrak_wire.reports import BlockEnded
from referee_process import PATIENCE, RefereeProcess, block, ending, short_folder
from sitter import Sitter, Waiter

pytestmark = pytest.mark.process

KEY = "the-key-of-whoever-controls"


def test_no_token_ticket_key_or_seed_is_ever_in_a_log() -> None:
    with short_folder() as folder:
        key = folder / "key"
        key.write_text(KEY)
        with (
            RefereeProcess(folder, f"--control-key-file={key}", key=KEY) as referee,
            grpc.insecure_channel(referee.listen) as channel,
        ):
            secrets = _play_and_err(referee, channel)
            referee.process.send_signal(signal.SIGTERM)
            assert referee.process.wait(PATIENCE) == 0
        text = referee.log.read_text()
    assert "match_finished" in text
    for secret in (KEY, *secrets):
        assert secret not in text


def _play_and_err(referee: RefereeProcess, channel: grpc.Channel) -> list[str]:
    """Play a match with every kind of secret, and with wrong ones; return all of them."""
    referee.set_tokens(BotToken("stan", hash_token("token-of-stan"), 0))
    order = block((House("greedy"), Open(), Remote("stan")))
    [ticket] = referee.start(order).tickets
    news = referee.follow(order)
    waiter = Waiter(channel, "token-of-stan")
    waiter.hear()
    call = waiter.hear()
    assert isinstance(call, Call)
    guest, stan = Sitter(channel, ticket.ticket), Sitter(channel, call.ticket)
    for wrong in (Sitter(channel, "a-guessed-ticket"), Waiter(channel, "a-guessed-token")):
        with pytest.raises(grpc.RpcError) as problem:
            list(wrong.call)
        assert problem.value.code() is grpc.StatusCode.UNAUTHENTICATED
    other = Thread(target=stan.play)
    other.start()
    guest.play()
    other.join()
    assert ending(news) == BlockEnded("finished")
    assert guest.welcome is not None
    seed = order.matches[0].seed
    return [
        "token-of-stan",
        hash_token("token-of-stan"),
        "a-guessed-ticket",
        "a-guessed-token",
        ticket.ticket,
        call.ticket,
        guest.welcome.rejoin_ticket,
        seed.hex(),
        str(seed),
    ]
