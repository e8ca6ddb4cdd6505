import type { DomainError } from '#core/errors.ts'
import type { HaltScope } from '#core/halt/halt.ts'
import { nearestName } from '#core/nearest-name.ts'
import type { ScheduleStore } from '#store/schedules.ts'
import type { UserStore } from '#store/users.ts'
import { invalid } from '../auth/user-rules.ts'
import type { HaltPorts, ServiceContext } from '../context.ts'

export interface ScopeContext extends HaltPorts, Pick<ServiceContext, 'actor' | 'packs' | 'environments'> {
  users: Pick<UserStore, 'find' | 'findByEmail' | 'list'>
  schedules: Pick<ScheduleStore, 'find'>
}

const SUGGESTED_FROM = 1_000

/**
 * The scope with its requester as an id. Throws `validation_failed` for a name that nobody knows, because a halt of it would stop
 * nothing. What active runs are about is known, whatever this process has loaded, and is not told: it may be somebody else's.
 */
export async function knownScope(ctx: ScopeContext, scope: HaltScope): Promise<HaltScope> {
  const { environment, template, requester } = scope
  if (environment !== undefined) {
    const names = ctx.environments.list().map(({ name }) => name)
    if (!names.includes(environment)) {
      const active = (await ctx.halts.ofActiveRuns()).environments
      if (!active.includes(environment)) throw unknown('environment', environment, names)
    }
  }
  if (template !== undefined) {
    const names = ctx.packs.list().flatMap(({ name, templates }) => templates.map((each) => `${name}/${each.template}`))
    if (!names.includes(template)) {
      const active = (await ctx.halts.ofActiveRuns()).templates
      if (!active.includes(template)) throw unknown('template', template, names)
    }
  }
  return requester === undefined ? scope : { ...scope, requester: await requesterId(ctx, requester) }
}

async function requesterId({ actor, halts, packs, users, schedules }: ScopeContext, given: string): Promise<string> {
  const user = given.includes('@') ? await users.findByEmail(given.toLowerCase()) : await users.find(given)
  if (user !== undefined) return user.id
  const skills = packs.list().flatMap((pack) => pack.skills.map(({ folder }) => `skill:${pack.name}/${folder}`))
  if (given === actor.id || skills.includes(given)) return given
  if ((await schedules.find(given)) !== undefined || (await halts.isActiveRequester(given))) return given
  const people = await users.list(actor.account_id, { limit: SUGGESTED_FROM })
  throw unknown('requester', given, [...skills, ...people.flatMap(({ id, email }) => [email, id])])
}

function unknown(part: keyof HaltScope, given: string, names: readonly string[]): DomainError {
  const meant = nearestName(given, names)
  const hint = meant === undefined ? '' : `; did you mean ${JSON.stringify(meant)}?`
  return invalid(`/scope/${part}`, `there is no ${part} ${JSON.stringify(given)}${hint}`)
}
