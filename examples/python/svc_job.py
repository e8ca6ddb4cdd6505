import base64
import functools
import hashlib
import json

from cryptography.hazmat.primitives.serialization import load_pem_private_key
from temporalio import activity
from temporalio.exceptions import ApplicationError


def sha256(text):
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def progress(at):
    """Says how far the job is; a cancellation of its run arrives with it."""
    activity.heartbeat(at)


def job(key=None):
    """Makes an activity of a function of (input, context). Where the queue asks for it, the result is signed with `key`, a private key in PEM."""

    def wrap(work):
        @activity.defn(name=work.__name__)
        @functools.wraps(work, updated=())
        async def run(given, context):
            if not context.get("attest"):
                return await work(given, context)
            if key is None:
                raise ApplicationError("this worker has no key to sign with", non_retryable=True)
            if sha256(given) != context["input_digest"]:
                raise ApplicationError("the input is not the one on record", non_retryable=True)
            result = json.dumps(await work(json.loads(given), context))
            names = ["run_id", "step_id", "attempt", "activity", "plan_hash", "input_digest"]
            known = {**context, "activity": activity.info().activity_type}
            lines = ["svc.remote-job.v1", *(str(known[name]) for name in names), sha256(result)]
            signature = load_pem_private_key(key, None).sign("\n".join(lines).encode())
            return {"result": result, "signature": base64.b64encode(signature).decode()}

        return run

    return wrap
