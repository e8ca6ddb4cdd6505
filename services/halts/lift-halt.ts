import { DomainError } from '#core/errors.ts'
import type { HaltPorts } from '../context.ts'
import { type HaltAuditContext, haltAudit } from './halt-audit.ts'
import { type ListHaltsContext, listHalts } from './list-halts.ts'
import { mustReachScope } from './may-halt.ts'

/** Lets everything go on that this halt holds, and no other. A halt that the caller does not see is as unknown as one that is not there. */
export async function liftHalt(
  ctx: HaltAuditContext & HaltPorts & Pick<ListHaltsContext, 'directory'>,
  id: string,
): Promise<void> {
  const isSeen = (await listHalts(ctx)).some((each) => each.id === id)
  const halt = isSeen ? await ctx.halts.find(id) : undefined
  if (halt === undefined) throw new DomainError('not_found', 'no such halt is in force')
  mustReachScope(ctx.actor, halt.scope)
  const { type, id: actor, display } = ctx.actor
  const { scope, reason } = halt
  const lifted = await ctx.halts.lift(
    id,
    { type, id: actor, display },
    await haltAudit(ctx, { action: 'halt.lifted', id, scope, reason }),
  )
  if (!lifted) throw new DomainError('not_found', 'the halt was lifted meanwhile')
}
