import type { CancelCommand, RunClaim } from '#core/contract.ts'
import { DomainError, isConflict } from '#core/errors.ts'
import { commandText } from '#core/gate/attribute.ts'
import { isCompensation } from '#core/gate/requester.ts'
import { isTerminal } from '#core/run/status.ts'
import { isoTime } from '#core/time/time.ts'
import { NO_WORKER_AFTER_MS } from '../approvals/ask-record.ts'
import { decisionIdFor } from '../approvals/gate-decision.ts'
import { may } from '../auth/may.ts'
import type { DecisionContext } from '../context.ts'
import { defineVerb } from '../define-verb.ts'

/**
 * Cancels a run. An open gate is closed; a running operator is notified, and its end awaited. A compensation takes an admin: anyone who gains
 * by what it takes back would keep it.
 */
export const cancelRun = defineVerb(
  { role: 'operator', access: 'write', scope: 'workspace' },
  async (ctx: DecisionContext, input: { run_id: string; reason?: string }): Promise<void> => {
    const found = await ctx.runs.findDecidable(ctx.workspace_id, input.run_id)
    if (found === undefined) throw new DomainError('not_found', 'there is no such run')
    // an earlier attempt has requested it
    if (ctx.attempt?.again && (found.status === 'cancelling' || found.status === 'cancelled')) return
    if (isCompensation(found.provenance) && ctx.actor.type !== 'system' && !may(ctx.actor, 'admin'))
      throw new DomainError(
        'forbidden',
        'This run takes back what another one has done: only an admin may cancel it.',
        {
          required_role: 'admin',
        },
      )
    if (isTerminal(found.status))
      throw new DomainError('run_terminal', `the run is ${found.status}`, { run_id: found.run_id })
    const { id: by, display, type, roles, auth } = ctx.actor
    const command: CancelCommand = {
      decision_id: decisionIdFor(ctx),
      by,
      display,
      type,
      roles,
      channel: ctx.channel,
      asserted: auth === 'none',
      at: isoTime(ctx.clock()),
      auth,
      ...(input.reason !== undefined && { reason: input.reason }),
    }
    const signature = ctx.sign?.(commandText(found.run_id, command))
    const signed = { ...command, ...(signature !== undefined && { signature }) }
    const refused = await send(ctx, found, signed).catch((error: unknown) => error)
    // the engine's answer is a claim
    const after = await ctx.runs.findDecidable(ctx.workspace_id, input.run_id)
    const stops = after !== undefined && (after.status === 'cancelling' || isTerminal(after.status))
    const isClaim = refused instanceof DomainError && isConflict(refused.code)
    if (refused !== undefined && (stops || !isClaim)) throw refused
    // its workflow has not started yet, and will find the cancellation in the record
    if (after?.status === 'queued') return await record(ctx, found, signed)
    if (!stops)
      throw new DomainError('dependency_unavailable', 'the engine has answered, and the record knows of no end', {
        retry_after_s: 2,
      })
  },
)

/** If no worker takes it in time it is recorded here, and the run learns of it from the next worker: no further step begins. */
async function send(
  ctx: Pick<DecisionContext, 'engine' | 'record'>,
  { run_id, workspace_id, lane }: RunClaim,
  command: CancelCommand,
): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  let onLate: (late: 'late') => void = () => undefined
  const onSent = () => {
    timer = setTimeout(() => onLate('late'), NO_WORKER_AFTER_MS)
  }
  const isLate = () => new Promise<'late'>((resolve) => (onLate = resolve))
  let late = isLate()
  const sent = ctx.engine.cancel(run_id, command, onSent)
  try {
    for (let alive: boolean | undefined; alive === undefined; ) {
      if ((await Promise.race([sent, late])) !== 'late') return
      sent.catch(() => undefined)
      late = isLate()
      alive = await ctx.engine.alive(run_id).catch(() => undefined)
      // a run that its engine has lost is ended by the sweep
      if (alive === false) return await sent
      // the engine did not answer whether the workflow is open
      if (alive === undefined) onSent()
    }
    await record(ctx, { run_id, workspace_id, lane }, command)
  } finally {
    clearTimeout(timer)
  }
}

async function record(
  ctx: Pick<DecisionContext, 'record'>,
  { run_id, workspace_id, lane }: RunClaim,
  command: CancelCommand,
): Promise<void> {
  const answer = await ctx.record.cancel({ run_id, workspace_id, lane, command })
  if ('refused' in answer) throw new DomainError(answer.refused, 'the record refused the cancellation', { run_id })
}
