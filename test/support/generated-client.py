"""Generates a client of the description on stdin in the directory that is named, and reads with it. What was read goes as JSON to stdout."""

import json
import subprocess
import sys
from pathlib import Path

CONFIG = """
package_name_override: generated
post_hooks: []
# bodies that are handed on as they are
content_type_overrides:
  text/plain: application/octet-stream
  text/yaml: application/octet-stream
  application/yaml: application/octet-stream
"""

directory, url, token = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
description, config = directory / "openapi.json", directory / "config.yml"
description.write_text(sys.stdin.read())
config.write_text(CONFIG)
generated = subprocess.run(
    [sys.executable, "-m", "openapi_python_client", "generate", "--fail-on-warning", "--meta", "none"]
    + ["--path", description, "--config", config, "--output-path", directory / "generated"],
    capture_output=True,
    text=True,
)
if generated.returncode != 0:
    sys.exit(generated.stdout + generated.stderr)

sys.path.insert(0, str(directory))
from generated import AuthenticatedClient  # noqa: E402
from generated.api.runs import get_run, list_runs  # noqa: E402

with AuthenticatedClient(base_url=url, token=token, raise_on_unexpected_status=True) as client:
    runs = list_runs.sync(client=client)
    read = [get_run.sync(run.id, client=client).to_dict() for run in runs]
    json.dump({"said": generated.stdout + generated.stderr, "runs": read}, sys.stdout)
