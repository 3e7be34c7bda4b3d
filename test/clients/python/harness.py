"""Cases of the openai package for Python against a running SoAI.

Reads one JSON object from stdin: {"base_url", "key", "models": {case id: model}}.
Prints one JSON object a case: {"id", "ok", "error"}.
"""

import json
import sys
import traceback

import openai

CASES = []
HI = [{"role": "user", "content": "hi"}]


def case(identifier, title):
    """Registers a case; the suite reads identifiers and titles from the source."""
    del title

    def register(run):
        CASES.append((identifier, run))
        return run

    return register


class Context:
    """What a case gets: where the server is, and a model of its own."""

    def __init__(self, base_url, key, model):
        self.base_url = base_url
        self.key = key
        self.model = model

    def _options(self, options):
        return {"base_url": self.base_url, "api_key": self.key, "max_retries": 0, **options}

    def client(self, **options):
        return openai.OpenAI(**self._options(options))

    def async_client(self, **options):
        return openai.AsyncOpenAI(**self._options(options))

    def ask(self, client=None, **more):
        body = {"model": self.model, "messages": HI, **more}
        return (client or self.client()).chat.completions.create(**body)


def thrown_by(work):
    """What `work` raised; a case that expects a failure fails when there is none."""
    try:
        work()
    except Exception as error:  # the case judges it
        return error
    raise AssertionError("a failure was expected, and there was none")


def equal(actual, expected):
    assert actual == expected, f"expected {expected!r}, got {actual!r}"


def expect_refusal(error, kind, status, code, type_, param=None):
    """The class of the SDK, and all four keys of the error."""
    assert type(error) is kind, f"expected {kind.__name__}, got {error!r}"
    equal(error.status_code, status)
    equal((error.code, error.type, error.param), (code, type_, param))
    assert set(error.body) >= {"message", "type", "param", "code"}, error.body
    assert "None" not in json.dumps(error.body), error.body
    assert error.request_id.startswith("req_"), error.request_id


def main():
    given = json.load(sys.stdin)
    for identifier, run in CASES:
        result = {"id": identifier, "ok": True, "error": None}
        try:
            run(Context(given["base_url"], given["key"], given["models"][identifier]))
        except BaseException:  # reported, and the others go on
            result = {"id": identifier, "ok": False, "error": traceback.format_exc()}
        print(json.dumps(result), flush=True)
