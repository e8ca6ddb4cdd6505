import { DomainError } from '#core/errors.ts'
import { isTerminal } from '#core/run/status.ts'
import type { ServiceContext } from '../context.ts'

/** Asks a run to stop. A parked gate is closed by it; a running operator is told and waited for. */
export async function cancelRun(ctx: ServiceContext, input: { run_id: string; reason?: string }): Promise<void> {
  const found = await ctx.runs.findDecidable(ctx.workspace_id, input.run_id)
  if (found === undefined) throw new DomainError('not_found', 'there is no such run')
  if (isTerminal(found.status))
    throw new DomainError('run_terminal', `the run is ${found.status}`, { run_id: found.run_id })
  await ctx.engine.cancel(input.run_id, {
    decision_id: ctx.ids.next('decision'),
    by: ctx.actor.id,
    display: ctx.actor.display,
    roles: ctx.actor.roles,
    channel: ctx.channel,
    asserted: ctx.actor.auth === 'none',
    ...(input.reason === undefined ? {} : { reason: input.reason }),
  })
}
