"""Orders, reports and lobby messages survive a round trip."""

from __future__ import annotations

from hypothesis import given

from damrak_wire import lobby, orders, reports
from samples import examples
from wire_strategies import (
    block_news,
    blocks,
    lobby_requests,
    lobby_responses,
    tokens,
)


@examples(60)
@given(blocks())
def test_blocks_survive(order: orders.BlockOrder) -> None:
    again = orders.decode_block(orders.encode_block(order))
    assert again == order
    for match in again.matches:
        assert again.rules(match).seats == len(match.seats)


@given(block_news)
def test_news_of_blocks_survives(news: reports.BlockNews) -> None:
    assert reports.decode_news(reports.encode_news(news)) == news


@given(lobby_requests)
def test_messages_of_waiting_bots_survive(said: lobby.Request) -> None:
    assert lobby.decode_request(lobby.encode_request(said)) == said


@given(lobby_responses)
def test_messages_of_the_lobby_survive(said: lobby.Response) -> None:
    assert lobby.decode_response(lobby.encode_response(said)) == said


@given(tokens)
def test_tokens_survive(given_tokens: tuple[lobby.BotToken, ...]) -> None:
    assert lobby.decode_tokens(lobby.encode_tokens(given_tokens)) == given_tokens
