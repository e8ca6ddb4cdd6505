import type { Done } from '#core/attempt.ts'
import { DomainError } from '#core/errors.ts'
import type { HaltDraft, HaltRecord } from '#core/halt/schema.ts'
import { isObject } from '#core/json.ts'
import { isoOfDatabase } from '#core/time.ts'
import type { HaltPorts, ServiceContext } from '../context.ts'
import { haltAudit } from './halt-audit.ts'
import { knownScope, type ScopeContext } from './known-scope.ts'
import { mustReachScope } from './may-halt.ts'

/** Stops everything that the scope covers: from the answer on nothing of it is opened; what was opened before may reach its target within half a second. */
export async function setHalt(
  ctx: ServiceContext & HaltPorts & ScopeContext,
  { scope: given, reason }: HaltDraft,
): Promise<HaltRecord> {
  const { done } = ctx.attempt ?? {}
  if (done !== undefined) return await haltSet(ctx, done)
  const named = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
  mustReachScope(ctx.actor, named)
  if (given.workspace !== undefined && (await ctx.directory.find(given.workspace)) === undefined)
    throw new DomainError('not_found', 'there is no such workspace')
  const scope = await knownScope(ctx, named)
  const id = ctx.ids.next('halt')
  const { type, id: actor, display } = ctx.actor
  const by = { type, id: actor, display }
  const { created_at, runs } = await ctx.halts.set(
    { id, scope, reason, by },
    await haltAudit(ctx, { action: 'halt.set', id, scope, reason }),
  )
  return { id, scope, reason, by, created_at: isoOfDatabase(created_at), held: { runs } }
}

/** A halt of an earlier attempt, with the number of runs that it held when it was set. */
async function haltSet({ halts }: HaltPorts, { subject, data }: Done): Promise<HaltRecord> {
  const halt = await halts.find(subject.id)
  if (halt === undefined) throw new DomainError('not_found', 'the halt was set, and has been lifted since')
  const { held } = data
  return { ...halt, held: { runs: isObject(held) ? Number(held['runs']) : 0 } }
}
