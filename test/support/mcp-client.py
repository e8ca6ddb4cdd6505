"""Lists what a server offers with the official client, and calls every tool. Calls come as JSON on stdin, results go as JSON to stdout."""

import asyncio
import json
import sys

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client


async def main() -> None:
    asked = json.load(sys.stdin)
    async with httpx2.AsyncClient(headers=asked["headers"]) as http:
        async with Client(streamable_http_client(asked["url"], http_client=http), mode=asked["mode"]) as client:
            tools = (await client.list_tools()).tools
            results = {}
            for name, arguments in asked["calls"].items():
                results[name] = (await client.call_tool(name, arguments)).model_dump(mode="json", by_alias=True)
            resources = (await client.list_resources()).resources
            page = await client.read_resource("svc://docs/policies.md")
            json.dump(
                {
                    "tools": [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in tools],
                    "results": results,
                    "resources": [str(resource.uri) for resource in resources],
                    "page": page.contents[0].text,
                },
                sys.stdout,
            )


asyncio.run(main())
