import type { Actor } from '#core/actor.ts'
import type { Done } from '#core/attempt.ts'
import { DomainError } from '#core/errors.ts'
import { concerns, type Halt, type HaltScope, type Lifter, setterFor } from '#core/halt/halt.ts'
import type { HaltDraft, HaltRecord } from '#core/halt/schema.ts'
import { isObject } from '#core/json/json.ts'
import { isoOfDatabase } from '#core/time/time.ts'
import type { HaltInForce, HaltStore } from '#store/halts.ts'
import type { UserStore } from '#store/users.ts'
import { may, mayEnter, mustBe, nameFor } from '../auth/may.ts'
import type { HaltPorts, ServiceContext } from '../context.ts'
import { defineVerb } from '../define-verb.ts'
import type { WorkspaceDirectory } from '../workspaces/workspace-directory.ts'
import { type HaltAuditContext, haltAudit } from './halt-audit.ts'
import { knownScope, type ScopeContext } from './known-scope.ts'

const MAX_LIFTERS = 10

export interface SeenHaltsContext {
  actor: Pick<Actor, 'workspaces'>
  halts: Pick<HaltStore, 'list'>
  environments: Pick<ServiceContext['environments'], 'list'>
  directory: Pick<WorkspaceDirectory, 'find'>
}

/** What a halt has refused is found as long as it may still be wanted. */
const LIFTED = { days: 7, limit: 10 }

export interface ListHaltsContext extends SeenHaltsContext {
  actor: Actor
  halts: Pick<HaltStore, 'list' | 'lifted'>
  users: Pick<UserStore, 'admins'>
}

/**
 * Lists the halts in force that may stop a run in the caller's workspaces, newest first, without names from elsewhere. With `lifted`, also
 * those that have refused starts there and were lifted lately.
 */
export async function listHalts(ctx: ListHaltsContext, { lifted }: { lifted: boolean }): Promise<HaltRecord[]> {
  const halts = await seenHalts(ctx)
  const lifters = halts.length === 0 ? [] : await ctx.users.admins()
  const over = lifted ? await ctx.halts.lifted(ctx.actor.workspaces, LIFTED) : []
  return [
    ...halts.map((halt) => ({ ...halt, may_lift: liftersFor(ctx.actor, halt, lifters) })),
    ...over.map((halt) => ({ ...halt, held: { runs: 0 }, may_lift: [] })),
  ].map((halt) => ({ ...halt, by: setterFor(ctx.actor, halt) }))
}

/** The halts in force that may stop a run in the caller's workspaces, newest first. */
export async function seenHalts(ctx: SeenHaltsContext): Promise<HaltInForce[]> {
  const { workspaces } = ctx.actor
  const halts = await ctx.halts.list(workspaces)
  const slugs = workspaces === '*' ? undefined : await Promise.all(workspaces.map((id) => slugOf(ctx, id)))
  return halts.filter(({ scope }) => slugs === undefined || concerns(scope, ctx.environments.list(), slugs))
}

async function slugOf(
  { directory }: { directory: Pick<WorkspaceDirectory, 'find'> },
  id: string,
): Promise<string | undefined> {
  return (await directory.find(id))?.slug
}

/** Sets a halt: from the answer on no step in its scope begins; one that began before may reach its target within half a second. */
export const setHalt = defineVerb(
  { role: 'approver', access: 'write', scope: 'account' },
  async (ctx: ServiceContext & HaltPorts & ScopeContext, { scope: given, reason }: HaltDraft): Promise<HaltRecord> => {
    // the scope to answer gates on behalf of people is no right to stop
    mustBe({ ...ctx.actor, scopes: [] }, 'approver')
    const { done } = ctx.attempt ?? {}
    if (done !== undefined) return await haltSet(ctx, done)
    const named = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
    mustReachScope(ctx, named)
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
    const may_lift = liftersFor(ctx.actor, { scope }, await ctx.users.admins())
    return {
      id,
      scope,
      reason,
      by,
      created_at: isoOfDatabase(created_at),
      held: { runs },
      refused: { starts: 0 },
      may_lift,
    }
  },
)

/** Returns the halt of an earlier attempt, with the number of runs that it held when it was set. */
async function haltSet(
  { actor, halts, users }: HaltPorts & Pick<ScopeContext, 'actor' | 'users'>,
  { subject, data }: Done,
): Promise<HaltRecord> {
  const halt = await halts.find(subject.id)
  if (halt === undefined) throw new DomainError('not_found', 'the halt was set, and has been lifted since')
  const { held } = data
  const may_lift = liftersFor(actor, halt, await users.admins())
  const runs = isObject(held) ? Number(held['runs']) : 0
  return { ...halt, held: { runs }, refused: { starts: 0 }, may_lift }
}

/** Lifts one halt. A halt that the caller may not see is treated as unknown. */
export const liftHalt = defineVerb(
  { role: 'admin', access: 'write', scope: 'account' },
  async (ctx: HaltAuditContext & HaltPorts & Pick<SeenHaltsContext, 'directory'>, id: string): Promise<void> => {
    const isSeen = (await seenHalts(ctx)).some((each) => each.id === id)
    const halt = isSeen ? await ctx.halts.find(id) : undefined
    if (halt === undefined) throw new DomainError('not_found', 'no such halt is in force')
    mustReachScope(ctx, halt.scope)
    const { type, id: actor, display } = ctx.actor
    const { scope, reason } = halt
    const lifted = await ctx.halts.lift(
      id,
      { type, id: actor, display },
      await haltAudit(ctx, { action: 'halt.lifted', id, scope, reason }),
    )
    if (!lifted) throw new DomainError('not_found', 'the halt was lifted meanwhile')
  },
)

/** Throws unless the actor may stop the scope: their own workspaces, or all of them for an owner or admin of all. */
function mustReachScope(
  { actor, workspace_id }: Pick<ServiceContext, 'actor' | 'workspace_id'>,
  { workspace }: HaltScope,
): void {
  if (workspace !== undefined) {
    if (!mayEnter(actor, workspace))
      throw new DomainError('not_found', 'there is no such workspace', { refused: 'workspace' })
    return
  }
  if (actor.workspaces === '*' && may(actor, 'admin')) return
  const own = JSON.stringify({ workspace: workspace_id })
  throw new DomainError(
    'forbidden',
    `This halt reaches beyond your workspaces: name one of yours in its scope, such as ${own}, or ask an owner or admin of all workspaces.`,
  )
}

/** Returns who may lift a halt, those of its workspace first: by name as this reader may see it, else in words. None without admins. */
export function liftersFor(
  reader: Pick<Actor, 'roles' | 'scopes' | 'workspaces'>,
  { scope: { workspace } }: Pick<Halt, 'scope'>,
  lifters: readonly Lifter[],
): string[] {
  const ofAll = lifters.filter((each) => each.workspaces.includes('*'))
  const own = lifters.filter((each) => workspace !== undefined && each.workspaces.includes(workspace))
  const isNamed = workspace !== undefined || reader.workspaces === '*'
  const names = (isNamed ? [...own, ...ofAll] : [])
    .map(({ name }) => nameFor(reader, name))
    .filter((name) => name !== undefined)
  if (names.length > 0) return names.slice(0, MAX_LIFTERS)
  if (own.length > 0) return ['an admin of the workspace']
  return ofAll.length > 0 ? ['an owner or admin of all workspaces'] : []
}
