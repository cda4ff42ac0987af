"""The OpenAPI description: refusals, headers, links, examples and scopes of each operation."""

from __future__ import annotations

from collections.abc import Iterator
from http import HTTPStatus
from typing import Any, Final

from ninja import NinjaAPI
from ninja.openapi.schema import OpenAPISchema
from ninja.operation import Operation

from damrak_ladder.api.access import Bearer, OptionalBearer
from damrak_ladder.api.description.components import DEVICE_LOGIN, PROBLEM
from damrak_ladder.api.description.examples import examples
from damrak_ladder.api.description.headers import ANSWERS, REQUESTS, references
from damrak_ladder.api.description.links import links_of
from damrak_ladder.api.description.refusals import CODES, KEY
from damrak_ladder.api.problems import CONTENT_TYPE, TYPES

IDEMPOTENT: Final = "x-damrak-idempotent"
"""The key in `openapi_extra` of operations that accept `Idempotency-Key`."""
CONDITIONAL: Final = "x-damrak-conditional"
"""The key in `openapi_extra` of operations that accept `If-Match`."""
HEADERS: Final = "x-damrak-request-headers"
"""The key in `openapi_extra` of operations that read other header fields, by their names here."""

_NAMES: Final = ("$ref", "title")
_SUFFIX: Final = "Shape"
_SCHEMAS: Final = "#/components/schemas/"


class TwoTypes(Exception):
    """Two different types of the API have one name in the description."""

    def __init__(self, name: str) -> None:
        super().__init__(f"two different types of the API are named {name}; rename one of them")


class DescribedAPI(NinjaAPI):
    """An API whose description declares every answer."""

    def get_openapi_schema(
        self, *, path_prefix: str | None = None, path_params: dict[str, Any] | None = None
    ) -> OpenAPISchema:
        """Return the description."""
        prefix = self.get_root_path(path_params or {}) if path_prefix is None else path_prefix
        return Description(self, prefix)

    def get_openapi_operation_id(self, operation: Operation) -> str:
        """Return the id of an operation that does not name one: its function."""
        return str(operation.view_func.__name__)


class Description(OpenAPISchema):
    """The OpenAPI description of the API."""

    def __init__(self, api: NinjaAPI, path_prefix: str) -> None:
        self._takes_objects = True
        super().__init__(api, path_prefix)
        self.update(_renamed(dict(self)))

    def get_paths(self) -> dict[str, Any]:
        """Return all operations by path."""
        self._paths: dict[str, Any] = super().get_paths()
        return self._paths

    def operation_details(self, operation: Operation) -> dict[str, Any]:
        """Return one operation."""
        details: dict[str, Any] = super().operation_details(operation)
        self.add_schema_definitions(details.pop("x-damrak-schemas", {}))
        codes = [*_derived(operation, details), *details.pop(KEY, ())]
        example = examples().get(details["operationId"], {})
        for status, answer in details["responses"].items():
            _complete(answer, details, example if int(status) < 300 else {})
        _add_headers(details, *details.pop("x-damrak-headers", ()))
        if any(one["name"] in ("offset", "cursor") for one in details["parameters"]):
            _add_headers(details, "Link")
        details["responses"].update(_refusals(codes))
        if "get" in (method.lower() for method in operation.methods):
            details["parameters"].append(REQUESTS["If-None-Match"])
            details["responses"][304] = {"description": "The stored answer is still valid."}
        for key, header in ((IDEMPOTENT, "Idempotency-Key"), (CONDITIONAL, "If-Match")):
            if details.pop(key, False):
                details["parameters"].append(REQUESTS[header])
        details["parameters"] += [REQUESTS[name] for name in details.pop(HEADERS, ())]
        if "request" in example and "requestBody" in details:
            details["requestBody"]["content"]["application/json"]["example"] = example["request"]
        details["responses"] = {
            str(status): details["responses"][status]
            for status in sorted(details["responses"], key=int)
        }
        return details

    def operation_security(self, operation: Operation) -> list[dict[str, Any]] | None:
        """Return the scopes that an operation requires."""
        for callback in operation.auth_callbacks:
            if isinstance(callback, Bearer | OptionalBearer):
                self.securitySchemes["bearer"] = {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "A token of the site, or of `damrak login`. The names listed by"
                    " each operation are the scopes that it requires.",
                }
                scopes = (callback.scope, *callback.others)
                needed: list[dict[str, Any]] = [{"bearer": [str(one)]} for one in scopes]
                return [{}, *needed] if isinstance(callback, OptionalBearer) else needed
        return []

    def add_schema_definitions(self, definitions: dict[str, Any]) -> None:
        """Add named types; two types with one name are an error."""
        if not self._takes_objects:
            definitions = {key: one for key, one in definitions.items() if "enum" in one}
        for name, schema in definitions.items():
            known = self.schemas.get(name)
            # Pydantic puts the modules into the names of equally named types of one operation.
            if "__" in name or (known is not None and known != schema):
                raise TwoTypes(name.rpartition("__")[2])
        super().add_schema_definitions(definitions)

    def operation_parameters(self, operation: Operation) -> list[dict[str, Any]]:
        """Return the parameters of an operation, with references to named enumerations."""
        self._takes_objects = False  # models of parameters are not types of their own
        found: list[dict[str, Any]] = super().operation_parameters(operation)
        self._takes_objects = True
        for one in found:
            for name, schema in self.schemas.items():
                plain = one["schema"].get("allOf", [one["schema"]])[0]
                if "enum" in schema and plain.get("enum") == schema["enum"]:
                    kept = {key: one["schema"][key] for key in ("default",) if key in one["schema"]}
                    one["schema"] = {"$ref": f"{_SCHEMAS}{name}", **kept}
                elif "enum" in schema and plain.get("items", {}).get("enum") == schema["enum"]:
                    one["schema"]["items"] = {"$ref": f"{_SCHEMAS}{name}"}
        return found

    def get_components(self) -> dict[str, Any]:
        """Return the named types, the header fields, and the problem."""
        found: dict[str, Any] = super().get_components()
        self.add_schema_definitions(PROBLEM)
        for name in found["schemas"]:
            if name.endswith(_SUFFIX) and name.removesuffix(_SUFFIX) in found["schemas"]:
                raise TwoTypes(name.removesuffix(_SUFFIX))
        used = _used(found["schemas"], self._paths)
        found["schemas"] = {name: found["schemas"][name] for name in sorted(used)}
        found["headers"] = dict(ANSWERS)
        found["securitySchemes"]["device"] = DEVICE_LOGIN
        return found


def _used(schemas: dict[str, Any], paths: dict[str, Any]) -> set[str]:
    """Return the names of the types that operations refer to, directly or not."""
    used: set[str] = set()
    waiting = list(_references(paths))
    while waiting:
        name = waiting.pop()
        if name not in used:
            used.add(name)
            waiting.extend(_references(schemas[name]))
    return used


def _renamed(content: Any) -> Any:
    """Return the content with types named without the suffix of their classes."""
    if isinstance(content, dict):
        return {
            str(name).removesuffix(_SUFFIX): (
                value.removesuffix(_SUFFIX)
                if isinstance(value, str) and name in _NAMES
                else _renamed(value)
            )
            for name, value in content.items()
        }
    return [_renamed(value) for value in content] if isinstance(content, list) else content


def _references(content: object) -> Iterator[str]:
    if isinstance(content, dict):
        reference = content.get("$ref")
        if isinstance(reference, str) and reference.startswith(_SCHEMAS):
            yield reference.removeprefix(_SCHEMAS)
        for value in content.values():
            yield from _references(value)
    elif isinstance(content, list):
        for value in content:
            yield from _references(value)


def _derived(operation: Operation, details: dict[str, Any]) -> Iterator[str]:
    """Return the codes that follow from authentication, parameters and body."""
    if any(isinstance(one, Bearer | OptionalBearer) for one in operation.auth_callbacks):
        yield from ("token-needed", "scope-missing")
    if any(one["in"] == "path" for one in details["parameters"]):
        yield "not-found"
    if "requestBody" in details or set(operation.methods) & {"POST", "PUT", "PATCH"}:
        yield from ("refused", "bad-length", "too-slow", "too-large")
    if details["parameters"] or "requestBody" in details:
        yield "invalid"
    if operation.openapi_extra and operation.openapi_extra.get(IDEMPOTENT):
        yield from ("bad-key", "key-reused", "key-in-use")
    if operation.openapi_extra and operation.openapi_extra.get(CONDITIONAL):
        yield "changed"
    yield from ("too-often", "try-again")


def _refusals(codes: list[str]) -> dict[int, dict[str, Any]]:
    by_status: dict[int, list[str]] = {}
    for code in dict.fromkeys(codes):
        by_status.setdefault(CODES[code][0], []).append(code)
    return {status: _refusal(status, named) for status, named in by_status.items()}


def _refusal(status: int, codes: list[str]) -> dict[str, Any]:
    words = "\n".join(f"- `{code}`: {CODES[code][1]}" for code in codes)
    headers = {401: ("WWW-Authenticate",), 429: ("Retry-After",), 503: ("Retry-After",)}
    answer: dict[str, Any] = {
        "description": f"{HTTPStatus(status).phrase}\n\n{words}",
        "content": {
            CONTENT_TYPE: {
                "schema": {"$ref": "#/components/schemas/Problem"},
                "examples": {code: {"value": _example(code)} for code in codes},
            }
        },
    }
    if status in headers:
        answer["headers"] = references(*headers[status])
    return answer


def _example(code: str) -> dict[str, Any]:
    status, detail = CODES[code]
    return {
        "type": TYPES + code,
        "title": HTTPStatus(status).phrase,
        "status": status,
        "code": code,
        "detail": detail,
        "cure": "",
    }


def _complete(answer: dict[str, Any], details: dict[str, Any], example: dict[str, Any]) -> None:
    answer["headers"] = references("RateLimit", "RateLimit-Policy")
    content = answer.get("content", {}).get("application/json")
    if content is not None and "response" in example:
        content.setdefault("example", example["response"])
    links = links_of(details["operationId"])
    if links:
        answer["links"] = links


def _add_headers(details: dict[str, Any], *names: str) -> None:
    for status, answer in details["responses"].items():
        if int(status) < 300:
            answer["headers"].update(references(*names))
