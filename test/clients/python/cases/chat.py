import asyncio
import concurrent.futures

import openai
import pydantic
from harness import HI, case, equal, thrown_by


class Place(pydantic.BaseModel):
    city: str
    celsius: float


@case("plain", "I: a plain completion, checked strictly against the SDK's own types")
def _(ctx):
    reply = ctx.ask(ctx.client(_strict_response_validation=True))
    equal(reply.object, "chat.completion")
    assert reply.id and isinstance(reply.created, int)
    equal(reply.choices[0].message.role, "assistant")
    equal(reply.choices[0].message.content, "echo: hi")
    equal(reply.choices[0].finish_reason, "stop")
    equal((reply.usage.prompt_tokens, reply.usage.completion_tokens, reply.usage.total_tokens), (1, 2, 3))


@case("alias", "T82: the model's name is the one that was asked for")
def _(ctx):
    equal(ctx.ask().model, ctx.model)


@case("headers", "contract 2: request id, task id, content type, no rate headers")
def _(ctx):
    raw = ctx.client().chat.completions.with_raw_response.create(model=ctx.model, messages=HI)
    equal(raw.headers["content-type"], "application/json; charset=utf-8")
    assert raw.headers["x-request-id"].startswith("req_")
    assert raw.headers["x-soai-task-id"]
    assert not [name for name in raw.headers if name.startswith("x-ratelimit")]
    equal(raw.parse()._request_id, raw.headers["x-request-id"])


@case("text", "I: text of any kind goes both ways unharmed")
def _(ctx):
    content = '안녕 🦀 \u202eשלום\u202c e\u0301 \x00 "\\ \n\t'
    reply = ctx.ask(messages=[{"role": "user", "content": content}])
    equal(reply.choices[0].message.content, "echo: " + content)


@case("choices", "I: several choices keep their order")
def _(ctx):
    equal([c.message.content for c in ctx.ask(n=3).choices], ["c0", "c1", "c2"])


@case("logprobs", "I: log probabilities come through")
def _(ctx):
    token = ctx.ask(logprobs=True).choices[0].logprobs.content[0]
    equal((token.token, token.logprob, token.bytes), ("a", -0.25, [97]))


@case("unknown-reply", "T80: unknown fields of a reply are in model_extra")
def _(ctx):
    reply = ctx.ask()
    equal(reply.model_extra["x_vendor"], {"a": [1]})
    equal(reply.choices[0].message.model_extra["reasoning_content"], "because")


@case("unknown-request", "T80: unknown fields of a request reach the backend")
def _(ctx):
    ctx.ask(extra_body={"enable_thinking": False, "x_vendor": {"a": [1], "b": None}})


@case("max-tokens", "T81: max_tokens keeps its name")
def _(ctx):
    ctx.ask(max_tokens=7)


@case("null-content", "T73: content null beside tool calls stays null")
def _(ctx):
    call = {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    messages = [
        {"role": "user", "content": "q"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_1", "content": "7"},
    ]
    ctx.ask(messages=messages)


@case("image", "T87: an image of 6 MB arrives intact")
def _(ctx):
    url = "data:image/png;base64," + "QUJD" * 1_500_000
    ctx.ask(messages=[{"role": "user", "content": [{"type": "image_url", "image_url": {"url": url}}]}])


@case("tool-call", "I: tool calls come back")
def _(ctx):
    tool = {"type": "function", "function": {"name": "weather", "parameters": {"type": "object"}}}
    choice = ctx.ask(tools=[tool], tool_choice="required").choices[0]
    equal(choice.finish_reason, "tool_calls")
    equal(choice.message.content, None)
    equal(choice.message.tool_calls[0].function.arguments, '{"city":"Oslo"}')


@case("parse", "I: parse gives the typed value")
def _(ctx):
    reply = ctx.client().chat.completions.parse(model=ctx.model, messages=HI, response_format=Place)
    equal(reply.choices[0].message.parsed, Place(city="Oslo", celsius=-3.5))


@case("parse-refusal", "I: parse of a refusal has nothing parsed")
def _(ctx):
    reply = ctx.client().chat.completions.parse(model=ctx.model, messages=HI, response_format=Place)
    equal((reply.choices[0].message.refusal, reply.choices[0].message.parsed), ("no", None))


@case("parse-length", "I: parse of an answer cut by its length says so")
def _(ctx):
    parse = ctx.client().chat.completions.parse
    error = thrown_by(lambda: parse(model=ctx.model, messages=HI, response_format=Place))
    assert isinstance(error, openai.LengthFinishReasonError), error


@case("parse-filter", "I: parse of a filtered answer says so")
def _(ctx):
    parse = ctx.client().chat.completions.parse
    error = thrown_by(lambda: parse(model=ctx.model, messages=HI, response_format=Place))
    assert isinstance(error, openai.ContentFilterFinishReasonError), error


@case("parse-tool", "I: parse of a tool call gives its arguments typed")
def _(ctx):
    tool = openai.pydantic_function_tool(Place)
    reply = ctx.client().chat.completions.parse(model=ctx.model, messages=HI, tools=[tool])
    call = reply.choices[0].message.tool_calls[0]
    equal(call.function.parsed_arguments, Place(city="Oslo", celsius=1))


@case("async", "I: the asynchronous client")
def _(ctx):
    async def run():
        async with ctx.async_client() as client:
            return await ctx.ask(client)

    equal(asyncio.run(run()).choices[0].message.content, "echo: hi")


@case("async-many", "I: twenty asynchronous calls at once get an answer of their own each")
def _(ctx):
    async def run():
        async with ctx.async_client() as client:
            asked = [ctx.ask(client, messages=[{"role": "user", "content": f"m{i}"}]) for i in range(20)]
            return await asyncio.gather(*asked)

    equal([reply.choices[0].message.content for reply in asyncio.run(run())], [f"echo: m{i}" for i in range(20)])


@case("threads", "I: eight threads share one client")
def _(ctx):
    client = ctx.client()
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        replies = pool.map(lambda i: ctx.ask(client, messages=[{"role": "user", "content": f"t{i}"}]), range(16))
        equal([reply.choices[0].message.content for reply in replies], [f"echo: t{i}" for i in range(16)])
