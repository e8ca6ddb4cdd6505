import { isGranted } from '#core/environment/environment.ts'
import type { DomainError } from '#core/errors.ts'
import type { HaltScope } from '#core/halt/halt.ts'
import { didYouMean } from '#core/text/did-you-mean.ts'
import type { ScheduleStore } from '#store/schedules/schedules.ts'
import type { UserStore } from '#store/users.ts'
import { circleOf, knows } from '../auth/known-people.ts'
import { may } from '../auth/may.ts'
import { invalid } from '../auth/user-rules.ts'
import type { HaltPorts, ServiceContext } from '../context.ts'
import type { WorkspaceDirectory } from '../workspaces/workspace-directory.ts'

export interface ScopeContext extends HaltPorts, Pick<ServiceContext, 'actor' | 'packs' | 'environments'> {
  directory: Pick<WorkspaceDirectory, 'find'>
  users: Pick<UserStore, 'find' | 'findByEmail' | 'list' | 'admins'>
  schedules: Pick<ScheduleStore, 'find'>
}

const SUGGESTED_FROM = 1_000

/**
 * Returns the scope with its requester as an id. Throws `validation_failed` for an unknown name, because such a halt would stop nothing.
 * Subjects of active runs are known even if this process has not loaded them, but are not suggested: they may be foreign. A user of some
 * workspaces only names what those may use: `scope` names one of theirs.
 */
export async function knownScope(ctx: ScopeContext, scope: HaltScope): Promise<HaltScope> {
  const { environment, template, requester } = scope
  const within = ctx.actor.workspaces === '*' ? undefined : scope.workspace
  if (environment !== undefined) {
    const names = await environmentNames(ctx, within)
    if (!names.includes(environment)) {
      const active = (await ctx.halts.ofActiveRuns(within)).environments
      if (!active.includes(environment)) throw unknown('environment', environment, names)
    }
  }
  if (template !== undefined) {
    const names = ctx.packs.list().flatMap(({ name, templates }) => templates.map((each) => `${name}/${each.template}`))
    if (!names.includes(template)) {
      const active = (await ctx.halts.ofActiveRuns(within)).templates
      if (!active.includes(template)) throw unknown('template', template, names)
    }
  }
  return requester === undefined ? scope : { ...scope, requester: await requesterId(ctx, requester, scope.workspace) }
}

/** Of all environments, or of those that a workspace may use. */
async function environmentNames(
  { environments, directory }: ScopeContext,
  within: string | undefined,
): Promise<string[]> {
  const slug = within === undefined ? undefined : (await directory.find(within))?.slug
  const usable = environments.list().filter((each) => within === undefined || isGranted(each, slug))
  return usable.map(({ name }) => name)
}

/** In a workspace only its own people, schedules and requesters are known: the answer does not reveal others. */
async function requesterId(
  { actor, halts, packs, users, schedules }: ScopeContext,
  given: string,
  within: string | undefined,
): Promise<string> {
  const circle = { ...circleOf(actor), ...(within !== undefined && { workspaces: [within] }) }
  const user = given.includes('@') ? await users.findByEmail(given.toLowerCase()) : await users.find(given)
  if (user !== undefined && knows(circle, user)) return user.id
  const skills = packs.list().flatMap((pack) => pack.skills.map(({ folder }) => `skill:${pack.name}/${folder}`))
  if (given === actor.id || skills.includes(given)) return given
  const schedule = await schedules.find(given)
  if (schedule !== undefined && (within ?? schedule.workspace_id) === schedule.workspace_id) return given
  if (await halts.isActiveRequester(given, within)) return given
  // addresses are for those who administer people
  const people = may(actor, 'admin') ? await users.list(circle, { limit: SUGGESTED_FROM }) : []
  throw unknown('requester', given, [...skills, ...people.flatMap(({ id, email }) => [email, id])])
}

function unknown(part: keyof HaltScope, given: string, names: readonly string[]): DomainError {
  return invalid(`/scope/${part}`, `there is no ${part} ${JSON.stringify(given)}${didYouMean(given, names)}`)
}
