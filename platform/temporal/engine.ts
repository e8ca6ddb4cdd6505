import {
  type Client,
  isGrpcServiceError,
  ServiceError,
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client'
import { ApplicationFailure } from '@temporalio/common'
import {
  CANCEL_RUN,
  type CancelCommand,
  type CommandRefusal,
  DECIDE_GATE,
  ENDS_AS_RUN,
  type GateCommand,
  type GateOutcome,
  REFUSALS,
  RUN_WORKFLOW,
  type RunClaim,
  type RunHints,
  type RunStart,
} from '#core/contract.ts'
import { DomainError, type ErrorCode, isTransient } from '#core/errors.ts'
import { ENVIRONMENT, LANE, TEMPLATE_ID, WORKSPACE_ID } from '#core/run/search.ts'
import { createCommandFlights } from './command-flights.ts'
import { createRunWorkflows } from './run-workflows.ts'

const ANSWER_WITHIN_MS = 10_000
const RETRY_AFTER_MS = 50
/** A task of a dead worker is given to another after this long: well before a caller stops waiting. */
const WORKFLOW_TASK_TIMEOUT = '5s'
const RESOURCE_EXHAUSTED = 8
const UNAVAILABLE = 14
const DEADLINE_EXCEEDED = 4
/** Names of Updates for messages. */
const ASKED = { [DECIDE_GATE]: 'decision', [CANCEL_RUN]: 'cancellation' } as const

type Command = keyof typeof ASKED
type Asked = 'start' | (typeof ASKED)[Command]

/** Starts runs and sends decisions to them. Repeating a start is harmless: the workflow id is the run id. */
export function createEngine(client: Client) {
  const decisions = createCommandFlights(
    (gate_id) => new DomainError('gate_resolved', 'the gate was resolved by another answer', { gate_id }),
  )
  const cancels = createCommandFlights(
    (run_id) => new DomainError('conflict', 'the run is being cancelled already', { run_id }),
  )
  return {
    async start(run: RunStart): Promise<void> {
      try {
        await begin(client, run, 'FAIL')
      } catch (error) {
        if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw unreachable(error, 'start')
      }
    },

    decide(runId: string, command: GateCommand, onSent?: () => void): Promise<GateOutcome> {
      return decisions.next(
        command.gate_id,
        () => {
          onSent?.()
          return update<GateOutcome>(client, runId, { name: DECIDE_GATE, command, whenOver: 'gate_resolved' })
        },
        (answer) => answer?.resolved === true,
      )
    },

    cancel(runId: string, command: CancelCommand, onSent?: () => void): Promise<void> {
      const send = () => {
        onSent?.()
        return update<void>(client, runId, { name: CANCEL_RUN, command, whenOver: 'run_terminal' })
      }
      return cancels.next(runId, send, () => true)
    },

    alive: createRunWorkflows(client).alive,

    async reachable(): Promise<void> {
      await client.withDeadline(Date.now() + 1_000, () => client.connection.workflowService.getSystemInfo({}))
    },
  }
}

async function begin(
  client: Client,
  { title, template, environment, run_id, workspace_id, lane, near }: RunStart,
  workflowIdConflictPolicy: 'FAIL' | 'TERMINATE_EXISTING',
): Promise<void> {
  const claim: RunClaim = { run_id, workspace_id, lane }
  const hints: RunHints[] = near === true ? [{ near }] : []
  await client.workflow.start(RUN_WORKFLOW, {
    workflowId: run_id,
    taskQueue: lane,
    args: [claim, ...hints],
    workflowIdReusePolicy: workflowIdConflictPolicy === 'FAIL' ? 'REJECT_DUPLICATE' : 'ALLOW_DUPLICATE',
    workflowIdConflictPolicy,
    workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT,
    priority: { fairnessKey: workspace_id },
    staticSummary: title,
    typedSearchAttributes: [
      { key: WORKSPACE_ID, value: workspace_id },
      { key: TEMPLATE_ID, value: template },
      { key: LANE, value: lane },
      { key: ENVIRONMENT, value: environment },
    ],
    memo: { workspace: workspace_id, template, environment, [ENDS_AS_RUN]: true },
  })
}

async function update<Result>(
  client: Client,
  runId: string,
  { name, command, whenOver }: { name: Command; command: GateCommand | CancelCommand; whenOver: ErrorCode },
): Promise<Result> {
  const handle = client.workflow.getHandle(runId)
  const deadline = Date.now() + ANSWER_WITHIN_MS
  for (;;) {
    try {
      return await client.withDeadline(deadline, () =>
        handle.executeUpdate<Result, [object]>(name, { updateId: command.decision_id, args: [command] }),
      )
    } catch (error) {
      const refused = asDomainError(error, runId, { name, whenOver })
      // the engine drops an Update that meets a signal or a restart; it can be repeated under its id without harm
      const again = isTransient(refused.code) && Date.now() + RETRY_AFTER_MS < deadline
      if (!again) throw refused
      await new Promise((resolve) => setTimeout(resolve, RETRY_AFTER_MS))
    }
  }
}

/** A finished workflow can take no decision: that is a conflict, never an unknown run. */
function asDomainError(
  error: unknown,
  runId: string,
  { name, whenOver }: { name: Command; whenOver: ErrorCode },
): DomainError {
  if (error instanceof WorkflowUpdateFailedError) {
    const cause = error.cause
    const code = cause instanceof ApplicationFailure && isRefusal(cause.type) ? cause.type : whenOver
    return new DomainError(code, cause?.message ?? 'the run refused the command', { run_id: runId })
  }
  if (error instanceof WorkflowNotFoundError)
    return new DomainError(whenOver, 'the run has moved on', { run_id: runId })
  return unreachable(error, ASKED[name])
}

function isRefusal(type: string | undefined | null): type is CommandRefusal {
  return REFUSALS.some((code) => code === type)
}

/** Returns the error of an unanswered request to the engine. */
function unreachable(error: unknown, asked: Asked): DomainError {
  const options = { cause: error }
  // the client wraps what came over the wire
  const wire = error instanceof ServiceError ? error.cause : error
  if (error instanceof WorkflowUpdateRPCTimeoutOrCancelledError) {
    return new DomainError(
      'dependency_unavailable',
      `no worker has answered in time; the ${asked} may still take effect`,
      { retry_after_s: 2 },
      options,
    )
  }
  if (isGrpcServiceError(wire)) {
    if (wire.code === RESOURCE_EXHAUSTED) {
      // a start is recorded then and is repeated: nothing was refused
      const code = asked === 'start' ? 'dependency_unavailable' : 'rate_limited'
      return new DomainError(code, `too many ${asked}s at once`, { retry_after_s: 1 }, options)
    }
    if (wire.code === UNAVAILABLE || wire.code === DEADLINE_EXCEEDED) {
      return new DomainError(
        'dependency_unavailable',
        'the workflow engine cannot be reached',
        { retry_after_s: 2 },
        options,
      )
    }
  }
  return new DomainError('dependency_unavailable', 'the workflow engine failed', { retry_after_s: 2 }, options)
}
