import type { CancelCommand, RunClosing, RunResult } from '#core/contract.ts'
import { DomainError } from '#core/errors.ts'
import { isTerminal } from '#core/run/status.ts'
import type { ActivityDeps } from './deps.ts'
import { draftAudit } from './step-records.ts'

/** Notes that a run is being cancelled, so that no further step can begin. */
export const createBeginCancel = (deps: ActivityDeps) =>
  async function beginCancel({
    run_id,
    workspace_id,
    command,
  }: {
    run_id: string
    workspace_id: string
    command: CancelCommand
  }): Promise<void> {
    const actor = { type: 'user', id: command.by, display: command.display }
    const data = { reason: command.reason ?? null, channel: command.channel }
    // the fence stays: the attempt at work still settles what it has begun
    await deps.runs.record({
      run_id,
      any_fence: true,
      run: { status: 'cancelling' },
      events: [{ key: 'run/cancelling', type: 'run.cancelling', actor, data }],
      audit: [
        draftAudit(
          deps,
          { id: run_id, workspace_id },
          {
            category: 'approval',
            action: 'run.cancel_requested',
            actor: { type: 'user', id: command.by, auth: command.auth ?? 'none' },
            channel: command.channel,
            data,
          },
        ),
      ],
    })
    deps.ring(run_id)
  }

/** Ends a run from outside its steps. A run that has ended already answers with how it ended. */
export const createCloseRun = (deps: ActivityDeps) =>
  async function closeRun({ run_id, workspace_id, status, cancel, error }: RunClosing): Promise<RunResult> {
    const data = status === 'failed' ? { ...error } : { reason: cancel?.reason ?? null }
    const recorded = await deps.runs.record({
      run_id,
      take_fence: true,
      run: {
        status,
        ...(cancel?.reason === undefined ? {} : { status_reason: cancel.reason }),
        ...(error === null ? {} : { error: { ...error, retryable: false } }),
      },
      events: [{ key: `run/${status}`, type: `run.${status}`, data }],
      audit: [draftAudit(deps, { id: run_id, workspace_id }, { category: 'lineage', action: `run.${status}`, data })],
    })
    deps.ring(run_id)
    // a run that the record does not know has nothing to close: its workflow just ends
    if (!('refused' in recorded) || recorded.refused === 'not_found') return { status }
    if (recorded.refused === 'terminal' && isTerminal(recorded.status)) return { status: recorded.status }
    throw new DomainError('internal', `run ${run_id} cannot be closed: ${recorded.refused}`)
  }
