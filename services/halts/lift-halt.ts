import { DomainError } from '#core/errors.ts'
import type { HaltPorts, ServiceContext } from '../context.ts'
import { haltAudit } from './halt-audit.ts'
import { mustReachScope } from './may-halt.ts'

/** Lets everything go on that this halt holds, and no other. */
export async function liftHalt(ctx: ServiceContext & HaltPorts, id: string): Promise<void> {
  const halt = await ctx.halts.find(id)
  if (halt === undefined) throw new DomainError('not_found', 'no such halt is in force')
  mustReachScope(ctx.actor, halt.scope)
  const { type, id: actor, display } = ctx.actor
  const { scope, reason } = halt
  const lifted = await ctx.halts.lift(
    id,
    { type, id: actor, display },
    haltAudit(ctx, { action: 'halt.lifted', id, scope, reason }),
  )
  if (!lifted) throw new DomainError('not_found', 'the halt was lifted meanwhile')
}
