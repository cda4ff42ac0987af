"""Every message has a text with all of its parameters, in every language."""

from __future__ import annotations

import re

import pytest
from django.utils.translation import override

from damrak_ladder.message_codes import wording
from damrak_ladder.message_codes.catalogue import TEXTS
from damrak_ladder.message_codes.catalogue.labels import LABELS
from damrak_ladder.message_codes.message import Message, all_classes, parameter_types
from damrak_ladder.message_codes.wording import english, text_of
from ladder.message_codes.samples import CLASSES, Inner, sample

LANGUAGES = ("da", "nb", "nl", "fi", "pl")

# These consist of parameters, numbers and names only.
WORDLESS = frozenset({"stored-text", "operator-reason", "field-problem", "fault-count"})


@pytest.fixture(autouse=True)
def _inner_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wording, "TEXTS", {**TEXTS, Inner: "%(text)s"})


def test_every_code_has_a_text():
    assert set(TEXTS) == {kind for kind in all_classes().values() if kind is not Inner}


@pytest.mark.parametrize("language", ["en", *LANGUAGES])
@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.code)
def test_every_text_uses_all_parameters(kind: type[Message], language: str):
    with override(language):
        for number in (1, 2, 5, 22, 1234):
            message = sample(kind, number)
            text = text_of(message)
            assert text.strip()
            assert "%" not in text
            types = parameter_types(kind)
            for name, value in message.parameters.items():
                shown = str(wording._worded(value, types[name]))
                assert shown in text, (name, text)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.code)
def test_no_text_remains_in_english(kind: type[Message], language: str):
    if kind.code in WORDLESS:
        return
    for number in (1, 2, 5):
        message = sample(kind, number)
        with override(language):
            text = text_of(message)
        assert text != english(message)
        assert not _english_words(text, kind), text


@pytest.mark.parametrize("language", LANGUAGES)
def test_lists_are_joined_in_the_language(language: str):
    with override(language):
        listed = str(wording._worded(("a", "b", "c"), tuple[str, ...]))
    assert re.fullmatch(r"a, b \w+ c", listed)
    assert "and" not in listed.split()


def test_every_label_is_translated():
    for language in LANGUAGES:
        with override(language):
            for value, label in LABELS.items():
                assert str(label)
                with override("en"):
                    here = str(label)
                assert str(label) != here, (language, value)


def _english_words(text: str, kind: type[Message]) -> set[str]:
    """Return words that are only English among those of a text, without its parameters."""
    for name in parameter_types(kind):
        text = re.sub(rf"<{name}>\d?", "", text)
    words = set(re.findall(r"\w+", text.lower()))
    return words & {"the", "and", "it", "with", "than", "its", "not", "has", "are"}
