import type { ErrorCode } from '../errors.ts'

/** Why a run or a step may have failed, besides the codes that refuse a request; one sentence each, for people. */
const OF_STEPS = {
  PolicyDenied: 'A policy, the environment, the profile or the pack denies the step. Nothing was sent.',
  operator_unavailable: "No worker has the step's operator in the version that the plan was compiled for.",
  outputs_invalid: 'Every step is done, but the outputs of the template could not be made from their results.',
  engine_lost: 'The workflow was ended from outside, or the engine lost it. What the last step did is not known.',
  process_ended:
    'Two processes ended while they worked on the step, so it is not tried again by itself. The message says whether it had begun.',
  failed_by_template: 'The template ended the run on purpose, with `core.fail`.',
  operator_bug: 'The operator failed in a way that it did not expect. The message says how.',
  timeout: 'The step, or the statement, did not end within its `timeout`.',
  aborted: 'The work was stopped before it was finished.',
  connection_kind: 'The connection is of a kind that the operator cannot use.',
  egress_denied:
    "The environment's egress list does not allow that address, or the url leaves the host of its connection.",
  unreachable: 'The target could not be reached. Nothing was sent.',
  login_refused:
    'The target refused the user, the password, the token, the access key or the database. Nothing was sent.',
  connection_lost: 'The connection broke after something was sent; the target may have acted.',
  invalid_request: 'The request cannot be sent as it is written.',
  response_too_large: 'The answer is larger than the step accepts.',
  too_many_redirects: 'The target redirects more often than the step follows.',
  redirected: 'A write was answered with a redirect, which is not followed. `details.location` says where to.',
  http_status:
    'The target answered with a status that the step does not accept. The message ends with what it said; `details.status` and `details.text` have its answer.',
  message_refused:
    'The mail server or the chat refused the message, or every recipient. The error ends with what it said; nothing was delivered.',
  process_refused:
    'The environment does not allow the process or its arguments, or the file is not one that may be run. Nothing was started.',
  process_failed:
    'The process ended with an exit code that the step does not accept, by a signal, or without the files that the step keeps. The message ends with what it said last.',
  git_failed: 'Git refused, or could not do it. The message ends with what it said; a commit was not pushed.',
  tool_failed: 'The tool of an MCP server has failed, or its server refused the call. `details.said` has what it said.',
  answer_invalid: 'The target does not answer in the way that its kind of system does.',
  verify_failed:
    'What `http.verify` waits for did not become true in time, or a certificate is not what `tls.probe` expects.',
  report_invalid: 'The text of the report cannot be rendered.',
  report_too_large: 'The report is larger than an artifact may be.',
  not_a_read: 'The statement of `postgres.query` is not a read, or it is impossible to tell.',
  model_output_invalid:
    "The model's answer does not fit the schema of the step, or names none of its actions, also after it was asked once more. `details.errors` says where.",
  model_refused: 'The model has refused to answer, or has said nothing.',
  sql_refused: 'The statement cannot be parsed, or is of a kind that no step may execute.',
  sql_failed: 'The database refused the statement. `details.sqlstate` says why.',
  read_only: 'The statement writes, but its transaction is read only.',
  lock_timeout: 'The statement waited too long for a lock that somebody else holds.',
  backup_refused:
    'The backup or the restore would not be whole, or would go where something else is. The message names what is in the way; nothing was changed.',
  role_refused:
    'A role, a membership or a password is not what the step may change, or is in use. The message says which; nothing was changed.',
  backup_damaged: 'What was read of a backup is not what was written. Nothing was restored.',
  still_running: 'The server still runs the statement of an earlier attempt. Nothing was sent.',
  object_not_found: 'The object store has no such object, or no such bucket.',
  object_exists: 'There is an object of that key, and the step was to make a new one. Nothing was changed.',
  artifact_exists: 'The run has an artifact of that name already. The step was done, and what it left is not kept.',
  object_mismatch: 'The bytes of an object are not those that the step, or the record, names.',
  queue_unattended: 'No worker took the activity from its task queue in time. Nothing was started.',
  not_attested:
    'The result of a remote job is not signed by the key of its queue, for this attempt. It does not count; the effect may have happened.',
  activity_interfered:
    'Somebody else than its worker ended, repeated, reset or paused the activity in Temporal. What its worker did is not known.',
  activity_failed:
    'The activity of an external worker failed, or was cancelled. The message is what that worker said of it; its effect may have happened.',
  s3_refused: 'The object store refused the request. `details.s3_code` says why.',
} as const satisfies Record<string, string>

/** Codes of refused requests that runs fail of as well, and what they mean there. */
const OF_REQUESTS = {
  BudgetExceeded: 'The attempt does not fit under a cap. Nothing was sent.',
  validation_failed:
    'An expression of the step cannot be evaluated, or the operator does not accept the resulting input.',
  not_found: 'The connection that the step names does not exist.',
  not_configured:
    'The secret of the connection is missing, the tool of its server was not accepted, or no model is bound: the message says what to do.',
  rate_limited:
    'The provider of the model asks to be asked less often; the step waited as long as it was told, up to its `timeout`.',
  dependency_unavailable:
    'The provider of the model could not be reached, or its answer was lost; or the object store cannot take a request now.',
  plan_changed:
    'The branch is not at the commit that the change was made for, the file of a process is not the one that was judged, or the tool is not what was accepted. Nothing was done.',
  conflict:
    'The database aborted the statement in favour of another one (a lost race or a deadlock), or the secret store has another version.',
  internal:
    'Something failed on our side. Where the workflow was told to fail, `details.engine_says` quotes the engine.',
} as const satisfies Partial<Record<ErrorCode, string>>

/** Every code that `error.code` of a run or a step is known to have, and what it means. */
export const FAILURE_CODES = { ...OF_STEPS, ...OF_REQUESTS }

/** Codes that our code may give. A step that cannot be prepared passes on the code that says why. */
export type FailureCode = keyof typeof OF_STEPS | ErrorCode
