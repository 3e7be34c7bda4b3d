import asyncio

import openai
import pydantic
from harness import HI, case, equal, thrown_by


class Place(pydantic.BaseModel):
    city: str
    celsius: float


def text_of(chunks):
    return "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)


@case("stream", "contract 4: role first, then text, one finish reason last, checked strictly")
def _(ctx):
    chunks = list(ctx.ask(ctx.client(_strict_response_validation=True), stream=True))
    equal(chunks[0].choices[0].delta.role, "assistant")
    equal(text_of(chunks), "echo: hi")
    equal([c.choices[0].finish_reason for c in chunks if c.choices[0].finish_reason], ["stop"])
    equal({(c.id, c.created, c.model, c.object) for c in chunks}, {(chunks[0].id, chunks[0].created, ctx.model, "chat.completion.chunk")})


@case("stream-usage", "T78: usage comes once, last, with no choices")
def _(ctx):
    chunks = list(ctx.ask(stream=True, stream_options={"include_usage": True}))
    equal([c.usage is not None for c in chunks], [False] * (len(chunks) - 1) + [True])
    equal((chunks[-1].choices, chunks[-1].usage.total_tokens), ([], 4))


@case("stream-no-usage", "T78: not asked for, no chunk has any")
def _(ctx):
    chunks = list(ctx.ask(stream=True))
    assert all("usage" not in c.model_fields_set and len(c.choices) == 1 for c in chunks)


@case("stream-helper", "I: the helper tells of each piece and gives the whole")
def _(ctx):
    with ctx.client().chat.completions.stream(model=ctx.model, messages=HI) as stream:
        deltas = [event.delta for event in stream if event.type == "content.delta"]
        whole = stream.get_final_completion()
    equal(deltas, ["a", "b", "c"])
    equal(whole.choices[0].message.content, "abc")


@case("stream-parse", "I: the helper parses a streamed answer")
def _(ctx):
    with ctx.client().chat.completions.stream(model=ctx.model, messages=HI, response_format=Place) as stream:
        done = [event.parsed for event in stream if event.type == "content.done"]
    equal(done, [Place(city="Oslo", celsius=12)])


@case("stream-tools", "T75: tool calls in pieces add up")
def _(ctx):
    tool = {"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}
    with ctx.client().chat.completions.stream(model=ctx.model, messages=HI, tools=[tool]) as stream:
        calls = stream.get_final_completion().choices[0].message.tool_calls
    equal([(c.id, c.function.name, c.function.arguments) for c in calls], [("call_1", "f", '{"x":1}')])


@case("stream-choices", "I: several choices are assembled apart")
def _(ctx):
    with ctx.client().chat.completions.stream(model=ctx.model, messages=HI, n=2) as stream:
        choices = stream.get_final_completion().choices
    equal([c.message.content for c in choices], ["ab", "xy"])


@case("stream-comments", "T07: keep-alive comments in a silence are not seen")
def _(ctx):
    equal(text_of(list(ctx.ask(stream=True))), "ab")


@case("stream-comments-async", "T07: nor by the asynchronous client")
def _(ctx):
    async def run():
        async with ctx.async_client() as client:
            return [chunk async for chunk in await ctx.ask(client, stream=True)]

    equal(text_of(asyncio.run(run())), "ab")


@case("stream-multibyte", "T01: characters torn over single bytes arrive whole")
def _(ctx):
    equal(text_of(list(ctx.ask(stream=True))), "안녕🦀")


@case("stream-crlf", "T04: CRLF line ends of a backend")
def _(ctx):
    equal(text_of(list(ctx.ask(stream=True))), "ab")


@case("stream-no-done", "T23: a finish reason without [DONE] is a success")
def _(ctx):
    equal(text_of(list(ctx.ask(stream=True))), "ab")


@case("stream-framing", "contract 3: data lines and blank lines alone, [DONE] last")
def _(ctx):
    create = ctx.client().chat.completions.with_streaming_response.create
    with create(model=ctx.model, messages=HI, stream=True) as response:
        equal(response.headers["content-type"], "text/event-stream; charset=utf-8")
        equal(response.headers["cache-control"], "no-cache, no-transform")
        equal(response.headers["x-accel-buffering"], "no")
        lines = [line for line in response.iter_lines() if not line.startswith(":")]
    assert all(line == "" or line.startswith("data: ") for line in lines), lines
    equal([line for line in lines if line][-1], "data: [DONE]")


def cut_of(ctx):
    """The text that came, and what ended it."""
    pieces = []

    def read():
        for chunk in ctx.ask(stream=True):
            pieces.append(chunk.choices[0].delta.content or "")

    error = thrown_by(read)
    return "".join(pieces), error


@case("stream-cut", "T13: a stream that breaks off raises APIError after its pieces")
def _(ctx):
    text, error = cut_of(ctx)
    equal(text, "ab")
    assert type(error) is openai.APIError, repr(error)
    equal((error.code, error.type, error.param), ("upstream_stream_interrupted", "upstream_error", None))


@case("stream-error", "T13: so does an error event of the backend")
def _(ctx):
    text, error = cut_of(ctx)
    equal((text, type(error), error.code), ("ab", openai.APIError, "upstream_stream_interrupted"))


@case("stream-cut-helper", "T13: and the helper")
def _(ctx):
    def read():
        with ctx.client().chat.completions.stream(model=ctx.model, messages=HI) as stream:
            stream.get_final_completion()

    equal(thrown_by(read).code, "upstream_stream_interrupted")


@case("stream-leave", "A10: leaving a stream lets the backend go")
def _(ctx):
    with ctx.ask(stream=True) as stream:
        for chunk in stream:
            if chunk.choices[0].delta.content == "a":
                break


@case("stream-async-helper", "I: the asynchronous helper")
def _(ctx):
    async def run():
        async with ctx.async_client() as client:
            async with client.chat.completions.stream(model=ctx.model, messages=HI) as stream:
                return await stream.get_final_completion()

    equal(asyncio.run(run()).choices[0].message.content, "abc")
