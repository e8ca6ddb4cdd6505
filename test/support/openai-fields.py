"""Sends each field to the gateway with the official client. The requests come as JSON on stdin, what became of each goes as JSON to stdout."""

import inspect
import json
import sys

import openai

asked = json.load(sys.stdin)
chat = openai.OpenAI(base_url=asked["base_url"], api_key="none", max_retries=0).chat.completions
known = set(inspect.signature(chat.create).parameters)


def content(fields: dict, stream: bool) -> str:
    named = {name: value for name, value in fields.items() if name in known}
    extra = {name: value for name, value in fields.items() if name not in known}
    said = {"model": "strict", "messages": [{"role": "user", "content": "hello"}], **named, "extra_body": extra}
    if not stream:
        return chat.create(**said).choices[0].message.content
    return "".join(chunk.choices[0].delta.content or "" for chunk in chat.create(**said, stream=True) if chunk.choices)


def outcome(request: dict) -> dict:
    try:
        return {"content": content(request["fields"], request["stream"])}
    except openai.APIStatusError as error:
        return {"status": error.status_code, "param": error.param}


json.dump([outcome(request) for request in asked["requests"]], sys.stdout)
