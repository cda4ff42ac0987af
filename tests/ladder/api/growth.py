"""Whether a description of the API only adds to an earlier one, so that clients keep working."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

_WORDS = frozenset({"description", "summary", "title", "example", "examples", "tags", "links"})
"""Keys that clients do not depend on."""


def losses(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """Return what an existing client could depend on and would miss."""
    return [*_paths(before, after), *_schemas(before, after)]


def contract(description: dict[str, Any]) -> dict[str, Any]:
    """Return what clients may depend on: no words, examples or problems."""
    found: dict[str, Any] = _without_words(description)
    schemas = found["components"]["schemas"]
    waiting, used = list(_references(found["paths"])), set()
    while waiting:
        name = waiting.pop()
        if name in schemas and name not in used:
            used.add(name)
            waiting.extend(_references(schemas[name]))
    found["components"]["schemas"] = {name: schemas[name] for name in sorted(used)}
    for operations in found["paths"].values():
        for operation in operations.values():
            for status, answer in operation["responses"].items():
                if int(status) >= 300:
                    answer.clear()
    return found


def _without_words(content: Any, is_named: bool = False) -> Any:
    """Return the content without words; names of fields, which may be such keys, are kept."""
    if isinstance(content, dict):
        return {
            name: _without_words(value, name in ("properties", "schemas"))
            for name, value in content.items()
            if is_named or name not in _WORDS
        }
    return [_without_words(one) for one in content] if isinstance(content, list) else content


def _paths(before: dict[str, Any], after: dict[str, Any]) -> Iterator[str]:
    for path, operations in before["paths"].items():
        for method, old in operations.items():
            name = f"{method.upper()} {path}"
            new = after["paths"].get(path, {}).get(method)
            if new is None:
                yield f"{name} is gone"
                continue
            if new["operationId"] != old["operationId"]:
                yield f"{name} has another operationId"
            yield from _parameters(name, old, new)
            yield from _bodies(name, old, new)
            if not _admits(new.get("security", []), old.get("security", [])):
                yield f"{name} requires another scope"


def _admits(new: list[Any], old: list[Any]) -> bool:
    """Return whether every way to call the old operation is one of the new one."""
    return new == [] or all(one in new for one in (old or [{}]))


def _parameters(name: str, old: dict[str, Any], new: dict[str, Any]) -> Iterator[str]:
    known = {(one["in"], one["name"]): one for one in old["parameters"]}
    found = {(one["in"], one["name"]): one for one in new["parameters"]}
    for key, one in known.items():
        if key not in found:
            yield f"{name}: the parameter {key[1]} is gone"
        elif not _chosen(one) <= _chosen(found[key]):
            yield f"{name}: the parameter {key[1]} lacks values"
        elif _typed(one) != _typed(found[key]):
            yield f"{name}: the parameter {key[1]} has another type"
    for key, one in found.items():
        if one["required"] and not known.get(key, {}).get("required"):
            yield f"{name}: the parameter {key[1]} is required now"


def _chosen(parameter: dict[str, Any]) -> frozenset[str]:
    """Return the names from which `fields` chooses, which its pattern lists."""
    pattern = parameter["schema"].get("pattern", "") if parameter["name"] == "fields" else ""
    return frozenset(re.findall(r"\w+", pattern))


def _typed(parameter: dict[str, Any]) -> Any:
    """Return the type of a parameter without what may grow."""
    schema = parameter["schema"]
    if _chosen(parameter):
        schema = {name: value for name, value in schema.items() if name != "pattern"}
    return _bare(schema)


def _bodies(name: str, old: dict[str, Any], new: dict[str, Any]) -> Iterator[str]:
    if new.get("requestBody", {}).get("required") and "requestBody" not in old:
        yield f"{name}: a body is required now"
    for kind, content in old.get("requestBody", {}).get("content", {}).items():
        if _bare(new.get("requestBody", {}).get("content", {}).get(kind)) != _bare(content):
            yield f"{name}: takes another {kind} body"
    for status, answer in old["responses"].items():
        if status.startswith("2"):
            now = new["responses"].get(status, {}).get("content", {})
            for kind, content in answer.get("content", {}).items():
                if _bare(now.get(kind)) != _bare(content):
                    yield f"{name}: answers {status} with other {kind} content"


def _schemas(before: dict[str, Any], after: dict[str, Any]) -> Iterator[str]:
    taken = _used_in_requests(after)
    found = after["components"]["schemas"]
    for name, old in before["components"]["schemas"].items():
        new = found.get(name)
        if new is None:
            yield f"{name} is gone"
            continue
        if not set(old.get("enum", ())) <= set(new.get("enum", ())):
            yield f"{name} lacks values"
        for field, schema in old.get("properties", {}).items():
            if field not in new.get("properties", {}):
                yield f"{name}.{field} is gone"
            elif _bare(schema) != _bare(new["properties"][field]):
                yield f"{name}.{field} has another type"
        needed, were = set(new.get("required", ())), set(old.get("required", ()))
        if name in taken and needed - were:
            yield f"{name} requires {sorted(needed - were)} now"
        if name not in taken and were - needed:
            yield f"{name} may lack {sorted(were - needed)} now"


def _used_in_requests(description: dict[str, Any]) -> set[str]:
    waiting = [
        operation.get("requestBody")
        for operations in description["paths"].values()
        for operation in operations.values()
    ]
    used: set[str] = set()
    while waiting:
        for name in _references(waiting.pop()):
            if name not in used:
                used.add(name)
                waiting.append(description["components"]["schemas"][name])
    return used


def _references(content: Any) -> Iterator[str]:
    if isinstance(content, dict):
        if isinstance(content.get("$ref"), str):
            yield content["$ref"].rpartition("/")[2]
        for value in content.values():
            yield from _references(value)
    elif isinstance(content, list):
        for value in content:
            yield from _references(value)


def _bare(content: Any) -> Any:
    """Return the content without words, and without enumerations, which may grow."""
    if isinstance(content, dict):
        return {
            name: _bare(value)
            for name, value in content.items()
            if name not in _WORDS and name != "enum"
        }
    return [_bare(value) for value in content] if isinstance(content, list) else content
