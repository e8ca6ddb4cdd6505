"""Drives the gateway with the official client and with LangChain's. What to ask comes as JSON on stdin, what was answered goes as JSON to stdout."""

import json
import sys

import openai
from langchain_core.messages import HumanMessage, ToolMessage
from langchain_openai import ChatOpenAI
from pydantic import BaseModel

asked = json.load(sys.stdin)
WEATHER = {
    "type": "function",
    "function": {
        "name": "weather",
        "description": "The weather of a city",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    },
}
OSLO = '{"city":"Oslo"}'


class Reply(BaseModel):
    answer: str


def said(text: str) -> list:
    return [{"role": "user", "content": text}]


def refusal(work) -> dict:
    try:
        work()
    except openai.APIStatusError as error:
        return {"kind": type(error).__name__, "status": error.status_code, "code": error.code, "text": str(error)}
    return {"kind": "none"}


def official() -> dict:
    client = openai.OpenAI(base_url=asked["base_url"], api_key=asked["key"])
    chat = client.chat.completions
    raw = chat.with_raw_response.create(model="default", messages=said("hello there"), max_tokens=20)
    streamed = list(
        chat.create(
            model="default",
            messages=said("hello there"),
            max_tokens=20,
            stream=True,
            stream_options={"include_usage": True},
        )
    )
    called = chat.create(model="default", messages=said(OSLO), max_tokens=20, tools=[WEATHER]).choices[0]
    call = called.message.tool_calls[0]
    answered = chat.create(
        model="default",
        messages=[
            *said(OSLO),
            called.message,
            {"role": "tool", "tool_call_id": call.id, "content": "rain"},
        ],
        max_tokens=20,
        tools=[WEATHER],
    )
    with chat.stream(model="default", messages=said(OSLO), max_tokens=20, tools=[WEATHER]) as stream:
        final = stream.get_final_completion().choices[0]
    parsed = chat.parse(model="default", messages=said("hello there"), max_tokens=20, response_format=Reply)
    as_json = chat.create(
        model="default", messages=said("hello there"), max_tokens=20, response_format={"type": "json_object"}
    )
    paid = {"X-Svc-Run-Id": asked["run"]}
    return {
        "models": [model.id for model in client.models.list()],
        "chat": raw.parse().choices[0].message.content,
        "headers": {name: raw.headers.get(name) for name in ("x-svc-model", "x-svc-cost-usd")},
        "streamed": "".join(chunk.choices[0].delta.content or "" for chunk in streamed if chunk.choices),
        "stream_usage": streamed[-1].usage.total_tokens,
        "finish": called.finish_reason,
        "tool": [call.function.name, call.function.arguments],
        "after_tool": answered.choices[0].message.content,
        "streamed_tool": [final.finish_reason, final.message.tool_calls[0].function.arguments],
        "parsed": parsed.choices[0].message.parsed.answer,
        "json": json.loads(as_json.choices[0].message.content),
        "over_cap": refusal(
            lambda: chat.create(model="default", messages=said("hello"), max_tokens=20, extra_headers=paid)
        ),
        "unknown": refusal(lambda: chat.create(model="gpt-9", messages=said("hello"))),
    }


def langchain() -> dict:
    # it asks for usage by itself only where it talks to OpenAI
    model = ChatOpenAI(
        base_url=asked["base_url"], api_key=asked["key"], model="default", max_tokens=20, stream_usage=True
    )
    answer = model.invoke("hello there")
    pieces = list(model.stream("hello there"))
    whole = pieces[0]
    for piece in pieces[1:]:
        whole += piece
    tools = model.bind_tools([WEATHER])
    called = tools.invoke(OSLO)
    answered = tools.invoke([HumanMessage(OSLO), called, ToolMessage("rain", tool_call_id=called.tool_calls[0]["id"])])
    streamed = None
    for piece in tools.stream(OSLO):
        streamed = piece if streamed is None else streamed + piece
    paid = ChatOpenAI(
        base_url=asked["base_url"],
        api_key=asked["key"],
        model="default",
        max_tokens=20,
        default_headers={"X-Svc-Run-Id": asked["run"]},
    )
    other = ChatOpenAI(base_url=asked["base_url"], api_key=asked["key"], model="gpt-9")
    return {
        "chat": answer.content,
        "usage": answer.usage_metadata["total_tokens"],
        "streamed": whole.content,
        "stream_usage": whole.usage_metadata["total_tokens"],
        "tool": called.tool_calls[0]["args"],
        "streamed_tool": streamed.tool_calls[0]["args"],
        "after_tool": answered.content,
        "parsed": model.with_structured_output(Reply, method="json_schema").invoke("hello there").answer,
        "json": model.with_structured_output(Reply, method="json_mode").invoke("hello there").answer,
        "over_cap": refusal(lambda: paid.invoke("hello")),
        "unknown": refusal(lambda: other.invoke("hello")),
    }


json.dump({"official": official(), "langchain": langchain()}, sys.stdout)
