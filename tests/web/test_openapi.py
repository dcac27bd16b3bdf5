"""The OpenAPI document against the routes: schemathesis sends what fits it and what does not."""

from __future__ import annotations

from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from ratings.releases.release import Release
from tests.web.conftest import SECRET, MakeApp
from web import openapi
from web.options import Options

pytestmark = pytest.mark.slow

CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
ROUTES = [
    (path, method) for path, item in openapi.document(Options(SECRET))["paths"].items() for method in item
]
EXAMPLES = 15


@pytest.fixture
def api(make_app: MakeApp, release: Release) -> Any:
    return schemathesis.openapi.from_wsgi("/api/v1/openapi.json", make_app())


@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE], ids=["fitting", "unfit"])
@pytest.mark.parametrize(("path", "method"), ROUTES)
def test_every_route_answers_as_documented(api: Any, path: str, method: str, mode: GenerationMode) -> None:
    operation = api[path][method]
    if mode is GenerationMode.NEGATIVE and not (operation.definition.raw.get("parameters") or operation.body):
        return  # nothing to send wrongly

    @settings(max_examples=EXAMPLES, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(case=operation.as_strategy(generation_mode=mode))
    def send(case: Any) -> None:
        case.call_and_validate(checks=CHECKS)

    send()
