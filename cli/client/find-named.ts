import type { Schema } from '#client/create-client.ts'
import { DomainError } from '#core/errors.ts'
import { didYouMean } from '#core/text/did-you-mean.ts'
import type { Listed } from './api-lists.ts'

const SHOWN = 5

interface Kind<Item> {
  /** the word for one, such as `user` */
  what: string
  /** prefix of its ids, such as `usr_` */
  prefix: string
  /** its names; an earlier one takes precedence over a later one, and an id over all, so that no display name hides an address or an id */
  names: readonly ((item: Item) => string | undefined)[]
  /** the command that lists them */
  list: string
}

/** Returns what is named by its id, by a name, or by the first characters of its id. Throws `not_found` or `conflict`. */
export function findNamed<Item extends { id: string }>(
  named: string,
  items: readonly Item[],
  { what, prefix, names, list }: Kind<Item>,
): Item {
  const wanted = named.trim().toLowerCase()
  const start = startOf(wanted, prefix)
  const ways = names.map((name) => (item: Item) => lower(name(item)) === wanted)
  if (start !== undefined) ways.unshift(({ id }) => id.startsWith(prefix + start))
  ways.unshift(({ id }) => id === named)
  for (const way of ways) {
    const [only, ...others] = items.filter(way)
    if (only === undefined) continue
    if (others.length === 0) return only
    throw tooMany(`are named ${JSON.stringify(named)}`, [only, ...others], what)
  }
  const known = items.flatMap((item) => names.flatMap((name) => name(item) ?? []))
  throw new DomainError(
    'not_found',
    `no ${what} is named ${JSON.stringify(named)}${didYouMean(named, known)}; see which there are with: ${list}`,
  )
}

function lower(text: string | undefined): string | undefined {
  return text?.toLowerCase()
}

type NamedWorkspace = Pick<Schema<'Workspace'>, 'id' | 'slug'> & { name?: string }

const WORKSPACE: Kind<NamedWorkspace> = {
  what: 'workspace',
  prefix: 'ws_',
  names: [({ slug }) => slug, ({ name }) => name],
  list: 'svc workspaces',
}

/** Returns one of these workspaces by its id, slug or name, or by the first characters of its id. */
export function workspaceNamed<Item extends NamedWorkspace>(named: string, items: readonly Item[]): Item {
  return findNamed(named, items, WORKSPACE as Kind<Item>)
}

/** Returns the id of a workspace; an id is taken as it is. */
export async function workspaceIdOf(named: string, list: () => Promise<Listed<NamedWorkspace>>): Promise<string> {
  return isWhole(named, WORKSPACE.prefix) ? named : workspaceNamed(named, (await list()).items).id
}

export interface PrefixSearch {
  /** the kind of the id, such as `run` */
  what: string
  /** prefix of such ids, such as `run_` */
  prefix: string
  /** ids that may begin so */
  candidates(start: string): Promise<string[]>
  /** the error when none does; `start` has no prefix */
  none(start: string): Promise<DomainError> | DomainError
}

/** Returns the full id for an id, or for its first characters where they match one candidate only. */
export async function idByPrefix(named: string, { what, prefix, candidates, none }: PrefixSearch): Promise<string> {
  if (isWhole(named, prefix)) return named
  const start = startOf(named.toLowerCase(), prefix)
  if (start === undefined)
    throw new DomainError(
      'validation_failed',
      `${JSON.stringify(named)} is not the id of a ${what}: it begins with ${prefix}, and 4 or more characters after that are enough where they are unique`,
    )
  const found = (await candidates(start)).filter((id) => id.startsWith(`${prefix}${start}`))
  const [only, ...others] = found
  if (only === undefined) throw await none(start)
  if (others.length === 0) return only
  throw tooMany(
    `begin with ${prefix}${start}`,
    found.map((id) => ({ id })),
    what,
  )
}

export function isWhole(named: string, prefix: string): boolean {
  return named.length === prefix.length + 26 && startOf(named, prefix) !== undefined && named.startsWith(prefix)
}

/** Returns the characters after the prefix, which may be left out; undefined for anything that begins no id. */
function startOf(named: string, prefix: string): string | undefined {
  return new RegExp(`^(?:${prefix})?([0-9a-z]{4,26})$`).exec(named)?.[1]
}

function tooMany(how: string, found: readonly { id: string }[], what: string): DomainError {
  const more = found.length > SHOWN ? `, and ${found.length - SHOWN} more` : ''
  const ids = found.slice(0, SHOWN).map(({ id }) => id)
  return new DomainError('conflict', `${found.length} ${what}s ${how}: ${ids.join(', ')}${more}`)
}
