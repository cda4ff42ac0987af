"""Files for `damrak-ladder tournaments pair`: a TRF, or our JSON (docs/organisers/formats.md)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from typing import Any, Final

from damrak_ladder.tournaments.formats import (
    Entrant,
    Pairing,
    PairingResult,
    RoundPairing,
    StageRules,
    bye,
    pair_round,
)
from damrak_ladder.tournaments.formats.rules import MOST_ENTRANTS, MOST_ROUNDS
from damrak_ladder.tournaments.trf.parser import MOST_BYTES, parse
from damrak_ladder.tournaments.trf.values import TrfError

_RULES: Final = {field.name for field in fields(StageRules)}
_FRACTIONS: Final = ("bye_points",)
_OWN: Final = {"entrants", "played", "absent", "forbidden", "manual", "seed"}
_ENTRANT: Final = {"rank", "owner", "rating", "guest"}


@dataclass(frozen=True, slots=True)
class PairingFile:
    """Everything that the next round needs, as the file has it."""

    rules: StageRules
    entrants: tuple[Entrant, ...]
    played: list[list[PairingResult]]
    absent: tuple[int, ...] = ()
    forbidden: tuple[tuple[int, ...], ...] = ()
    manual: tuple[tuple[int, ...], ...] = ()
    seed: str = "0"

    def pair(self) -> RoundPairing | None:
        """Returns the next round, or None after the last one."""
        return pair_round(
            self.rules,
            self.entrants,
            self.played,
            seed=self.seed,
            absent=self.absent,
            forbidden=self.forbidden,
            manual=self.manual,
        )


def read(data: bytes, *, until: int | None = None) -> PairingFile:
    """Returns what the file holds; `until` keeps only that number of rounds.

    Raises:
        TrfError: it is neither TRF nor our JSON; the text names the place and the fix.
        FormatError: its rules are not possible.
    """
    if len(data) > MOST_BYTES:
        raise TrfError(f"the file has {len(data):,} bytes; it may have at most {MOST_BYTES:,}")
    if data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
        found = _from_json(_decode(data))
    else:
        found = _from_trf(data, until)
    if until is not None and until > len(found.played):
        raise TrfError(f"the file has {len(found.played)} played rounds, not {until}; choose fewer")
    return found if until is None else replace(found, played=found.played[:until])


def _from_trf(data: bytes, until: int | None) -> PairingFile:
    file = parse(data)
    played = file.played if until is None else until
    if played < file.played:  # the round is in the file: those it does not pair were absent
        present = set(file.present(played + 1))
        absent = tuple(player.rank for player in file.players if player.rank not in present)
    else:
        absent = file.absent(played + 1)
    rounds = max(file.rounds or 0, played + 1)
    return PairingFile(
        rules=StageRules(format="swiss", rounds=rounds),
        entrants=file.entrants(),
        played=file.results(played),
        absent=absent,
        forbidden=file.forbidden,
    )


def _decode(data: bytes) -> Mapping[str, Any]:
    try:
        value = json.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError as problem:
        raise TrfError(f"the file is not UTF-8 (byte {problem.start}); save it as UTF-8") from None
    except json.JSONDecodeError as problem:
        raise TrfError(f"line {problem.lineno}: not JSON ({problem.msg}); correct it") from None
    except (RecursionError, ValueError):
        raise TrfError("the JSON is nested too deeply, or has a number that is too long") from None
    if unknown := set(value) - _RULES - _OWN:
        raise TrfError(
            f"{min(unknown)!r}: unknown; the keys are {', '.join(sorted(_OWN))} and the rules "
            f"{', '.join(sorted(_RULES))}"
        )
    return dict(value)


def _from_json(value: Mapping[str, Any]) -> PairingFile:
    rules = _rules(value)
    entrants = _entrants(value.get("entrants"))
    known = {entrant.number for entrant in entrants}
    played = _list(value.get("played", []), "played", MOST_ROUNDS)
    seed = value.get("seed", "0")
    if not isinstance(seed, str | int):
        raise TrfError("seed: write a text or a number")
    return PairingFile(
        rules,
        entrants,
        [_round(rules, results, known, at) for at, results in enumerate(played, 1)],
        absent=_ranks(value.get("absent", []), "absent", known),
        forbidden=_many(value, "forbidden", known),
        manual=_many(value, "manual", known),
        seed=str(seed),
    )


def _many(value: Mapping[str, Any], name: str, known: set[int]) -> tuple[tuple[int, ...], ...]:
    return tuple(_ranks(it, name, known) for it in _list(value.get(name, []), name))


def _rules(value: Mapping[str, Any]) -> StageRules:
    given = {name: value[name] for name in _RULES if name in value}
    players = given.get("players", 2)
    given.setdefault("format", "swiss" if players == 2 else "swiss-tables")
    defaults = StageRules(format="swiss")
    for name, rule in given.items():
        given[name] = _rule(name, rule, getattr(defaults, name))
    rules = StageRules(**given)
    rules.validate()
    return rules


def _rule(name: str, value: Any, default: Any) -> Any:
    """Returns a rule of the right type."""
    if name in _FRACTIONS and value is not None:
        return _fraction(value, name)
    if name == "tie_breaks" and value is not None:
        return tuple(str(it) for it in _list(value, name))
    if name == "place_points":
        return tuple(
            tuple(_fraction(it, name) for it in _list(row, name)) for row in _list(value, name)
        )
    kind = bool if isinstance(default, bool) else str if isinstance(default, str) else int
    if value is None and default is None:
        return None
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        names = {bool: "true or false", str: "a text", int: "a whole number"}
        raise TrfError(f"{name}: write {names[kind]}, not {value!r:.40}")
    return value


def _entrants(value: Any) -> tuple[Entrant, ...]:
    if isinstance(value, int) and not isinstance(value, bool):
        if not 2 <= value <= MOST_ENTRANTS:
            raise TrfError(f"entrants: write a number from 2 to {MOST_ENTRANTS}, not {value}")
        return tuple(Entrant(rank, rank) for rank in range(1, value + 1))
    found = []
    owners: dict[str, int] = {}
    for at, entry in enumerate(_list(value, "entrants"), 1):
        if not isinstance(entry, Mapping) or set(entry) - _ENTRANT - {"name"}:
            raise TrfError(f"entrants: entry {at} may have name and {', '.join(sorted(_ENTRANT))}")
        rank = entry.get("rank", at)
        rating = entry.get("rating")
        if not _is_number(rank, 1, 10**9) or not (
            rating is None or (isinstance(rating, int | float) and abs(rating) < 10**6)
        ):
            raise TrfError(f"entrants: the rank or the rating of entry {at} is not a number")
        owner = entry.get("owner")
        key = None if owner is None else owners.setdefault(str(owner), len(owners))
        found.append(Entrant(rank, rank, key, rating, guest=bool(entry.get("guest"))))
    if len({it.number for it in found}) != len(found):
        raise TrfError("entrants: a rank occurs twice; give each entrant its own")
    return tuple(found)


def _round(rules: StageRules, results: Any, known: set[int], number: int) -> list[PairingResult]:
    found = []
    seen: set[int] = set()
    for at, entry in enumerate(_list(results, f"played, round {number}"), 1):
        where = f"played, round {number}, pairing {at}"
        if not isinstance(entry, Mapping) or "entrants" not in entry:
            raise TrfError(f'{where}: write {{"entrants": [1, 2], "points": [1, 0]}}')
        ranks = _ranks(entry["entrants"], where, known)
        if seen.intersection(ranks) or not 1 <= len(ranks) <= rules.players:
            raise TrfError(f"{where}: an entrant is paired twice, or the pairing has a wrong size")
        seen.update(ranks)
        pairing = Pairing(ranks, str(entry.get("slot", "")))
        given = entry.get("points")
        if given is None and len(ranks) == 1:
            found.append(bye(rules, pairing))
            continue
        points = tuple(_fraction(it, where) for it in _list(given, f"{where}, points"))
        if len(points) != len(ranks):
            raise TrfError(f"{where}: {len(ranks)} entrants, {len(points)} points; write one each")
        found.append(PairingResult(pairing, points, blocks=len(ranks) > 1))
    return found


def _ranks(value: Any, where: str, known: set[int]) -> tuple[int, ...]:
    found = tuple(_list(value, where))
    for rank in found:
        if not _is_number(rank, 1, 10**9) or rank not in known:
            raise TrfError(f"{where}: there is no entrant {rank!r:.20}; write ranks of entrants")
    if len(set(found)) != len(found):
        raise TrfError(f"{where}: an entrant is listed twice; list each one once")
    return found


def _list(value: Any, where: str, most: int = MOST_ENTRANTS) -> list[Any]:
    if not isinstance(value, list) or len(value) > most:
        raise TrfError(f"{where}: write a list of at most {most} entries")
    return value


def _is_number(value: Any, least: int, most: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


def _fraction(value: Any, where: str) -> Fraction:
    """Returns points: 1, 0.5 or "1/2"."""
    if isinstance(value, int | float | str) and not isinstance(value, bool):
        try:
            found = Fraction(str(value)[:40])
        except (ValueError, ZeroDivisionError):
            found = Fraction(-1)
        if 0 <= found <= 1000 and found.denominator <= 10**9 and "e" not in str(value).lower():
            return found
    raise TrfError(f'{where}: {value!r:.20} are no points; write 1, 0.5 or "1/2"')
