"""Markdown documents as HTML, with links adapted to the site."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

Address = Callable[[str], str | None]
"""Maps the path of a file in the library, with its suffix, to its address on the site or None."""

_CLAUSE: Final = re.compile(r"(?:R[1-9][0-9]?|C-[a-z][0-9]?)(?![\w-])")


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading and its anchor."""

    level: int
    text: str
    anchor: str


@dataclass(frozen=True, slots=True)
class Rendered:
    """A document as safe HTML."""

    title: str
    head: str  # the title as HTML, if the document begins with it
    html: str  # the rest
    headings: tuple[Heading, ...]  # without the title


def render(path: Path, name: str, address: Address) -> Rendered:
    """Render the document in this file; `name` is its place in the library."""
    return _render(path, path.stat().st_mtime_ns, name, address)


@lru_cache(maxsize=256)
def _render(path: Path, _changed: int, name: str, address: Address) -> Rendered:
    markdown = MarkdownIt("commonmark", {"html": False, "linkify": False}).enable("table")
    for rule, shown in _RULES.items():
        markdown.add_render_rule(rule, shown)
    tokens = markdown.parse(path.read_text("utf-8"))
    headings = _number(tokens)
    _refer_to(_anchor_clauses(tokens), tokens)
    folder = posixpath.dirname(name)
    for token in tokens:
        for child in token.children or ():
            _lead(child, folder, address)
    begin = 3 if tokens and tokens[0].tag == "h1" else 0  # three tokens: opening, text, closing
    head, html = (
        markdown.renderer.render(part, markdown.options, {})
        for part in (tokens[:begin], tokens[begin:])
    )
    title = headings[0].text if headings and headings[0].level == 1 else name
    return Rendered(title, head, html, tuple(one for one in headings if one.level > 1))


def slug_of(text: str) -> str:
    """Return the anchor of a heading with this text, the same as on the repository's own pages."""
    kept = re.sub(r"[^\w\- ]", "", text.strip().lower())
    return kept.replace(" ", "-")


def _number(tokens: Sequence[Token]) -> list[Heading]:
    """Give each heading its anchor, and return the headings."""
    found: list[Heading] = []
    seen: dict[str, int] = {}
    for before, inline in pairwise(tokens):
        if before.type != "heading_open":
            continue
        text = _plain(inline)
        slug = slug_of(text)
        count = seen[slug] = seen.get(slug, -1) + 1
        anchor = f"{slug}-{count}" if count else slug
        before.attrSet("id", anchor)
        found.append(Heading(int(before.tag[1]), text, anchor))
    return found


def _anchor_clauses(tokens: Sequence[Token]) -> frozenset[str]:
    """Add anchors such as `#R17` and `#C-g` to the clauses; return the names of the clauses."""
    seen: set[str] = set()
    for holder, inline in pairwise(tokens):
        opens_row = holder.type == "td_open"
        opens_ruling = holder.type == "paragraph_open" and _is_bold(inline)
        if not (opens_row or opens_ruling):
            continue
        clause = _CLAUSE.match(_plain(inline))
        if clause and clause[0] not in seen and (opens_ruling or clause[0] == _plain(inline)):
            seen.add(clause[0])
            holder.attrSet("id", clause[0])
            holder.attrJoin("class", "clause")
    return frozenset(seen)


def _refer_to(clauses: frozenset[str], tokens: Sequence[Token]) -> None:
    """Turn each mention of these clauses into a link, except in the clause itself."""
    for holder, inline in pairwise(tokens):
        if inline.type != "inline" or holder.type == "heading_open":
            continue
        own = str(holder.attrGet("id") or "")
        within, pieces = 0, list[Token]()
        for child in inline.children or ():
            within += child.nesting if child.type in {"link_open", "link_close"} else 0
            is_plain = child.type == "text" and not within
            pieces += _linked(child.content, clauses - {own}) if is_plain else [child]
        inline.children = pieces


def _linked(text: str, clauses: frozenset[str]) -> Iterator[Token]:
    end = 0
    for found in _CLAUSE.finditer(text):
        if found[0] not in clauses or (found.start() and text[found.start() - 1].isalnum()):
            continue
        yield Token("text", "", 0, content=text[end : found.start()])
        yield Token("link_open", "a", 1, attrs={"href": f"#{found[0]}"})
        yield Token("text", "", 0, content=found[0])
        yield Token("link_close", "a", -1)
        end = found.end()
    yield Token("text", "", 0, content=text[end:])


def _is_bold(inline: Token) -> bool:
    children = [child for child in inline.children or () if child.type != "text" or child.content]
    return bool(children) and children[0].type == "strong_open"


def _plain(inline: Token) -> str:
    return "".join(
        child.content for child in inline.children or () if child.type in {"text", "code_inline"}
    )


def _lead(token: Token, folder: str, address: Address) -> None:
    """Point a link or picture to the address of its target on the site."""
    attribute = {"link_open": "href", "image": "src"}.get(token.type)
    if attribute is None:
        return
    target, mark, anchor = str(token.attrGet(attribute) or "").partition("#")
    if not target or re.match(r"[a-z][a-z0-9+.-]*:", target):
        if token.type == "link_open" and target:
            token.attrSet("rel", "noopener noreferrer")
        return
    place = address(posixpath.normpath(posixpath.join(folder, target)))
    # The target of a link that is not on the site is removed; the text remains.
    token.attrSet(attribute, (place or "") + (mark + anchor if place else ""))


def _link(
    renderer: Any, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType
) -> str:
    if not tokens[index].attrGet("href"):
        tokens[index].tag = "span"
        tokens[index].attrs.clear()
        depth = 1
        for token in tokens[index + 1 :]:
            depth += token.nesting if token.type.startswith("link_") else 0
            if depth == 0:
                token.tag = "span"
                break
    return str(renderer.renderToken(tokens, index, options, env))


def _table(
    renderer: Any, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType
) -> str:
    # A wide table scrolls by itself on a narrow screen, also by keyboard.
    return '<div class="scroll" tabindex="0"><table>\n'


def _table_end(
    renderer: Any, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType
) -> str:
    return "</table></div>\n"


def _cell(
    renderer: Any, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType
) -> str:
    # Alignment is rendered as an inline style, which the site's policy forbids.
    style = str(tokens[index].attrs.pop("style", ""))
    if "right" in style or "center" in style:
        tokens[index].attrJoin("class", "end" if "right" in style else "middle")
    return str(renderer.renderToken(tokens, index, options, env))


def _code(
    renderer: Any, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType
) -> str:
    return str(type(renderer).fence(renderer, tokens, index, options, env)).replace(
        "<pre>", '<pre tabindex="0">', 1
    )


def _picture(
    renderer: Any, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType
) -> str:
    tokens[index].attrSet("loading", "lazy")
    return str(type(renderer).image(renderer, tokens, index, options, env))


_RULES: Final = {
    "link_open": _link,
    "table_open": _table,
    "table_close": _table_end,
    "td_open": _cell,
    "th_open": _cell,
    "fence": _code,
    "image": _picture,
}
