"""The error of an unreachable referee states the reason, and whether a retry may help."""

from __future__ import annotations

import pytest

from damrak_ladder.referees.addresses import parse_address
from damrak_ladder.referees.control import Control
from damrak_ladder.referees.errors import RefereeTrouble


def test_missing_referee_is_distinguished_from_one_that_refuses() -> None:
    with (
        Control(parse_address("unix:/tmp/there-is-no-such.sock")) as control,
        pytest.raises(RefereeTrouble, match="no-such") as caught,
    ):
        control.status()
    assert not caught.value.is_lasting
    for text in ["", "host", "host:0", "http://host:1", "unix:"]:
        with pytest.raises(RefereeTrouble) as wrong:
            parse_address(text)
        assert wrong.value.is_lasting
