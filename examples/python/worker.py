import asyncio
import os
from pathlib import Path

from temporalio.client import Client
from temporalio.worker import Worker

from svc_job import job, progress

key_file = Path(os.environ.get("SVC_JOB_KEY", "worker.pem"))
key = key_file.read_bytes() if key_file.exists() else None


@job(key)
async def greet(input, context):
    greetings = []
    for name in input["names"]:
        progress({"done": len(greetings), "of": len(input["names"])})
        greetings.append(f"Hello {name}")
    return {"greetings": greetings, "idempotency_key": context["idempotency_key"]}


async def main():
    address = os.environ.get("TEMPORAL_ADDRESS", "127.0.0.1:7233")
    client = await Client.connect(address, namespace=os.environ.get("TEMPORAL_NAMESPACE", "default"))
    await Worker(client, task_queue=os.environ.get("TASK_QUEUE", "hello"), activities=[greet]).run()


asyncio.run(main())
