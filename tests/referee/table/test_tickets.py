"""Tickets: valid for one connection, and not lost if a connection fails."""

from typing import Any, cast

from damrak_referee.table.chair import Chair
from damrak_referee.table.tickets import Tickets


def chair() -> Chair:
    return cast(Any, object())


def test_a_ticket_lets_one_chair_be_taken_until_it_is_used_up() -> None:
    tickets, mine = Tickets(), chair()
    first = tickets.issue(mine)
    assert tickets.redeem(first) is mine
    second = tickets.renew(mine)
    assert tickets.redeem(first) is mine  # the Welcome may have been lost
    second = tickets.renew(mine)
    tickets.confirm(mine)
    assert tickets.redeem(first) is None
    assert tickets.redeem(second) is mine


def test_the_ticket_of_a_welcome_proves_its_receipt() -> None:
    tickets, mine = Tickets(), chair()
    first = tickets.issue(mine)
    assert tickets.redeem(first) is mine
    second = tickets.renew(mine)
    assert tickets.redeem(second) is mine
    assert tickets.redeem(first) is None
    third = tickets.renew(mine)
    assert tickets.redeem(second) is mine
    assert tickets.redeem(third) is mine


def test_only_the_newest_lost_welcome_counts() -> None:
    tickets, mine = Tickets(), chair()
    tickets.redeem(tickets.issue(mine))
    lost = tickets.renew(mine)
    newest = tickets.renew(mine)
    assert tickets.redeem(lost) is None
    assert tickets.redeem(newest) is mine


def test_tickets_are_unique_and_for_one_chair_each() -> None:
    tickets, mine, yours = Tickets(), chair(), chair()
    one, other = tickets.issue(mine), tickets.issue(yours)
    assert one != other
    assert len(one) >= 43  # 256 bits
    assert (tickets.redeem(one), tickets.redeem(other)) == (mine, yours)
    assert tickets.redeem("") is None
    assert tickets.redeem("é" * 50) is None


def test_issuing_again_and_revoking_end_what_was_good() -> None:
    tickets, mine = Tickets(), chair()
    first = tickets.issue(mine)
    second = tickets.issue(mine)
    assert tickets.redeem(first) is None
    assert tickets.redeem(second) is mine
    third = tickets.renew(mine)
    tickets.revoke(mine)
    tickets.revoke(mine)
    assert [tickets.redeem(ticket) for ticket in (second, third)] == [None, None]
    assert tickets.renew(mine) == ""
    assert len(tickets) == 0


def test_tickets_are_kept_as_hashes_only() -> None:
    tickets, mine = Tickets(), chair()
    ticket = tickets.issue(mine)
    assert all(ticket.encode() not in hashed for hashed in tickets._chairs)
    assert ticket not in repr(vars(tickets))
