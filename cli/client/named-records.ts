import type { Schema } from '#client/create-client.ts'
import { DomainError } from '#core/errors.ts'
import { didYouMean } from '#core/text/did-you-mean.ts'
import type { ApiClient } from './api-client.ts'
import { findNamed, idByPrefix, isWhole, workspaceIdOf } from './find-named.ts'

const MAX_RUNS = 200
const MAX = 10_000

/** Returns the full id of a run for an id, or for its unique first characters. */
export async function runIdOf(api: Pick<ApiClient, 'runs'>, named: string): Promise<string> {
  return await idByPrefix(named, {
    what: 'run',
    prefix: 'run_',
    candidates: async (start) => (await api.runs({ q: `run_${start}` }, MAX_RUNS)).items.map(({ id }) => id),
    none: async (start) => new DomainError('not_found', noSuchRun(start, (await api.runs({}, MAX_RUNS)).items)),
  })
}

function noSuchRun(start: string, newest: readonly { id: string }[]): string {
  const beginnings = newest.map(({ id }) => id.slice(0, 'run_'.length + start.length))
  const whole = (beginning: string) => newest[beginnings.indexOf(beginning)]?.id ?? beginning
  const hint = didYouMean(`run_${start}`, beginnings, whole) || '; see which there are with: svc runs'
  return `no run begins with run_${start}${hint}`
}

/** Returns the id of the workspace that an option names; undefined without the option. */
export async function workspaceGiven(
  api: Pick<ApiClient, 'workspaces'>,
  named: string | undefined,
): Promise<string | undefined> {
  return named === undefined ? undefined : await workspaceIdOf(named, () => api.workspaces(MAX))
}

/** Returns a person or service account by id, mail address or name. */
export async function userNamed(api: Pick<ApiClient, 'users'>, named: string): Promise<Schema<'User'>> {
  const { items } = await api.users(MAX)
  return findNamed(named, items, {
    what: 'user',
    prefix: 'usr_',
    list: 'svc users',
    names: [({ email }) => email, ({ display_name }) => display_name],
  })
}

/** Returns a service account that could answer gates for the caller, by id, mail address or name. */
export async function answeringAccountNamed(
  api: Pick<ApiClient, 'answeringAccounts'>,
  named: string,
): Promise<Schema<'AnsweringAccount'>> {
  return findNamed(named, await api.answeringAccounts(), {
    what: 'service account that could answer for you',
    prefix: 'usr_',
    list: 'svc answering-accounts list',
    names: [({ email }) => email, ({ display }) => display],
  })
}

/** Returns the id of a schedule by its id or name. */
export async function scheduleIdOf(api: Pick<ApiClient, 'schedules'>, named: string): Promise<string> {
  if (isWhole(named, 'sch_')) return named
  return findNamed(named, await api.schedules(), {
    what: 'schedule',
    prefix: 'sch_',
    list: 'svc schedule list',
    names: [({ name }) => name],
  }).id
}

/** Returns the id of an API key by its id, its name or the beginning of the key. */
export async function apiKeyIdOf(api: Pick<ApiClient, 'apiKeys'>, named: string): Promise<string> {
  if (isWhole(named, 'key_')) return named
  return findNamed(named, await api.apiKeys(), {
    what: 'API key',
    prefix: 'key_',
    list: 'svc keys list',
    names: [({ prefix }) => prefix, ({ name }) => name],
  }).id
}

/** Returns a connection by its id or its name. */
export async function connectionNamed(
  api: Pick<ApiClient, 'connections'>,
  named: string,
): Promise<Schema<'Connection'>> {
  return findNamed(named, await api.connections(), {
    what: 'connection',
    prefix: 'conn_',
    list: 'svc connections list',
    names: [({ name }) => name],
  })
}

/** Returns the id of a halt in force, by its id or its first characters. */
export async function haltIdOf(api: Pick<ApiClient, 'halts'>, named: string): Promise<string> {
  if (isWhole(named, 'halt_')) return named
  return findNamed(named, await api.halts(), {
    what: 'halt',
    prefix: 'halt_',
    list: 'svc halt --list',
    names: [],
  }).id
}
