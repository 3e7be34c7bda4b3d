import asyncio
import base64
import struct

import openai
from harness import case, equal, expect_refusal, thrown_by

VECTORS = [[0.5, -0.25, 1.0], [0.0, -1.5, 2.0]]


def embed(ctx, **more):
    return ctx.client().embeddings.create(model=ctx.model, input=["a", "b"], **more)


def vectors_of(reply):
    return [item.embedding for item in reply.data]


@case("models", "contract 6: the list is one page, of models")
def _(ctx):
    page = ctx.client(_strict_response_validation=True).models.list()
    ids = [model.id for model in page]
    equal(len(set(ids)), len(ids))
    assert {"c1", "chat-only", "vendor/Big Model.v1"} <= set(ids), ids


@case("model", "contract 6: one model, also with a slash and a blank in its name")
def _(ctx):
    for name in ("c1", "vendor/Big Model.v1"):
        equal(ctx.client().models.retrieve(name).id, name)


@case("model-unknown", "contract 6: an unknown one")
def _(ctx):
    error = thrown_by(lambda: ctx.client().models.retrieve("nope"))
    expect_refusal(error, openai.NotFoundError, 404, "model_not_found", "invalid_request_error", "model")


@case("completion", "I: a text completion, checked strictly")
def _(ctx):
    client = ctx.client(_strict_response_validation=True)
    reply = client.completions.create(model=ctx.model, prompt="say it")
    equal((reply.object, reply.model, reply.choices[0].text), ("text_completion", ctx.model, "echo: say it"))


@case("completion-stream", "I: a streamed one")
def _(ctx):
    pieces = ctx.client().completions.create(model=ctx.model, prompt="say it", stream=True)
    equal("".join(piece.choices[0].text for piece in pieces), "echo: say it")


@case("embed-default", "T93: the SDK asks for base64 by itself; from a backend that answers floats")
def _(ctx):
    reply = embed(ctx)
    equal(vectors_of(reply), VECTORS)
    equal([item.index for item in reply.data], [0, 1])


@case("embed-float", "T93: float asked for, from a backend that answers base64")
def _(ctx):
    equal(vectors_of(embed(ctx, encoding_format="float")), VECTORS)


@case("embed-base64", "T93: base64 asked for, from a backend that answers floats")
def _(ctx):
    raw = vectors_of(embed(ctx, encoding_format="base64"))
    equal([list(struct.unpack("<3f", base64.b64decode(text))) for text in raw], VECTORS)


@case("embed-rejects", "T93: a backend that rejects encoding_format is asked once more without it")
def _(ctx):
    equal(vectors_of(embed(ctx)), VECTORS)


@case("embed-async", "T93: the asynchronous client")
def _(ctx):
    async def run():
        async with ctx.async_client() as client:
            return await client.embeddings.create(model=ctx.model, input=["a", "b"])

    equal(vectors_of(asyncio.run(run())), VECTORS)


@case("embed-none", "T84: a model that offers no embeddings")
def _(ctx):
    error = thrown_by(lambda: ctx.client().embeddings.create(model="chat-only", input="x"))
    expect_refusal(error, openai.BadRequestError, 400, "no_eligible_member", "invalid_request_error", "model")
