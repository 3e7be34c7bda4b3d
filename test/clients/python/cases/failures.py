import asyncio

import openai
from harness import HI, case, equal, expect_refusal, thrown_by

BAD = "invalid_request_error"


def refused(ctx, *args, **more):
    return thrown_by(lambda: ctx.ask(*args, **more))


@case("bad-type", "T84: 400: a wrong type, by name")
def _(ctx):
    error = refused(ctx, temperature="hot")
    expect_refusal(error, openai.BadRequestError, 400, "invalid_type", BAD, "temperature")


@case("bad-value", "T84: 400: a value beyond its limit, by name")
def _(ctx):
    expect_refusal(refused(ctx, n=1000), openai.BadRequestError, 400, "invalid_value", BAD, "n")


@case("bad-stream-options", "contract 4: stream_options without a stream")
def _(ctx):
    error = refused(ctx, stream_options={"include_usage": True})
    expect_refusal(error, openai.BadRequestError, 400, "invalid_value", BAD, "stream_options")


@case("wrong-key", "T84: 401")
def _(ctx):
    error = refused(ctx, ctx.client(api_key="sk-nonsense"))
    expect_refusal(error, openai.AuthenticationError, 401, "invalid_api_key", BAD)
    equal(error.response.headers["www-authenticate"], "Bearer")


@case("no-model", "T84: 404: an unknown model")
def _(ctx):
    error = refused(ctx, model="no-such-model")
    expect_refusal(error, openai.NotFoundError, 404, "model_not_found", BAD, "model")


@case("no-address", "T84: 404: an address that is not there")
def _(ctx):
    error = thrown_by(lambda: ctx.client().post("/nothing", cast_to=object, body={}))
    expect_refusal(error, openai.NotFoundError, 404, "unknown_url", BAD)


@case("too-large", "T84: 413 has no class of its own")
def _(ctx):
    error = refused(ctx, messages=[{"role": "user", "content": "x" * (8 * 1024 * 1024 + 1)}])
    expect_refusal(error, openai.APIStatusError, 413, "request_too_large", BAD)


@case("upstream-400", "T30: a backend's 400 keeps its code, and is asked once")
def _(ctx):
    error = refused(ctx, ctx.client(max_retries=2))
    expect_refusal(error, openai.BadRequestError, 400, "context_length_exceeded", BAD)


@case("upstream-401", "B3: a backend's 401 is the operator's")
def _(ctx):
    error = refused(ctx)
    expect_refusal(error, openai.InternalServerError, 502, "upstream_authentication_failed", "upstream_error")


@case("upstream-409", "T40: a backend's 409 is not repeated, by us or by the SDK")
def _(ctx):
    error = refused(ctx, ctx.client(max_retries=2))
    expect_refusal(error, openai.ConflictError, 409, "upstream_rejected", BAD)


@case("upstream-422", "T30: a backend's 422")
def _(ctx):
    expect_refusal(refused(ctx), openai.UnprocessableEntityError, 422, "upstream_rejected", BAD)


@case("upstream-429", "B4: a backend's 429 to the end: our budget once, and the SDK obeys x-should-retry: false")
def _(ctx):
    error = refused(ctx, ctx.client(max_retries=2))
    expect_refusal(error, openai.RateLimitError, 429, "rate_limit_exceeded", "rate_limit_error")
    equal(error.response.headers["x-should-retry"], "false")


@case("upstream-500", "B4: so with a 500")
def _(ctx):
    error = refused(ctx, ctx.client(max_retries=2))
    expect_refusal(error, openai.InternalServerError, 502, "bad_upstream_response", "upstream_error")
    equal(error.response.headers["x-should-retry"], "false")


@case("upstream-500-stream", "T85: before the first byte of a stream it is the same")
def _(ctx):
    error = refused(ctx, stream=True)
    expect_refusal(error, openai.InternalServerError, 502, "bad_upstream_response", "upstream_error")


@case("unreachable", "T84: 503: a backend that is not there")
def _(ctx):
    error = refused(ctx, model="unreachable")
    expect_refusal(error, openai.InternalServerError, 503, "upstream_unavailable", "upstream_error")


@case("retry-after", "B2: a wait that a backend asks for is ours to keep")
def _(ctx):
    equal(ctx.ask().choices[0].message.content, "second")


@case("deadline", "K: the SDK's own time-out header is a deadline: 504, not repeated")
def _(ctx):
    error = refused(ctx, ctx.client(max_retries=2), extra_headers={"X-Stainless-Read-Timeout": "30", "X-Stainless-Timeout": "1"})
    expect_refusal(error, openai.InternalServerError, 504, "deadline_exceeded", "timeout_error")


@case("timeout", "A10: a client that gives up raises its own error")
def _(ctx):
    assert isinstance(refused(ctx, ctx.client(timeout=0.7)), openai.APITimeoutError)


@case("cancel-async", "A10: an asynchronous call that is cancelled lets the backend go")
def _(ctx):
    async def run():
        async with ctx.async_client() as client:
            call = asyncio.create_task(ctx.ask(client))
            await asyncio.sleep(2)
            call.cancel()
            try:
                await call
            except asyncio.CancelledError:
                return "cancelled"

    equal(asyncio.run(run()), "cancelled")


@case("not-there", "contract 8: a server that is not there")
def _(ctx):
    assert type(refused(ctx, ctx.client(base_url="http://127.0.0.1:1/v1"))) is openai.APIConnectionError


@case("idempotent", "A9: the same key and body give the same task and answer")
def _(ctx):
    create = ctx.client().chat.completions.with_raw_response.create
    headers = {"Idempotency-Key": ctx.model}
    first, second = (create(model=ctx.model, messages=HI, extra_headers=headers) for _ in range(2))
    equal(second.headers["x-soai-task-id"], first.headers["x-soai-task-id"])
    equal(second.text, first.text)


@case("idempotent-other", "A9: another body under the key is UnprocessableEntityError")
def _(ctx):
    headers = {"Idempotency-Key": ctx.model}
    ctx.ask(extra_headers=headers)
    error = refused(ctx, extra_headers=headers, max_tokens=3)
    expect_refusal(error, openai.UnprocessableEntityError, 422, "idempotency_key_reused", BAD, "Idempotency-Key")
