import { DomainError } from '#core/errors.ts'
import { didYouMean } from '#core/text/did-you-mean.ts'
import type { ApiClient } from './api-client.ts'

const MOST_RUNS = 200

/** Returns the full id of a run for an id, or for its unique first characters. */
export async function runIdOf(api: Pick<ApiClient, 'runs'>, named: string): Promise<string> {
  return await idByPrefix(named, {
    what: 'run',
    prefix: 'run_',
    candidates: async (start) => (await api.runs({ q: `run_${start}` }, MOST_RUNS)).items.map(({ id }) => id),
    none: async (start) => new DomainError('not_found', noSuchRun(start, (await api.runs({}, MOST_RUNS)).items)),
  })
}

function noSuchRun(start: string, newest: readonly { id: string }[]): string {
  const beginnings = newest.map(({ id }) => id.slice(0, 'run_'.length + start.length))
  const whole = (beginning: string) => newest[beginnings.indexOf(beginning)]?.id ?? beginning
  const hint = didYouMean(`run_${start}`, beginnings, whole) || '; see which there are with: svc runs'
  return `no run begins with run_${start}${hint}`
}

const SHOWN = 5

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
  if (new RegExp(`^${prefix}[0-9a-z]{26}$`).test(named)) return named
  const [, start] = new RegExp(`^(?:${prefix})?([0-9a-z]{4,26})$`).exec(named.toLowerCase()) ?? []
  if (start === undefined)
    throw new DomainError(
      'validation_failed',
      `${JSON.stringify(named)} is not the id of a ${what}: it begins with ${prefix}, and 4 or more characters after that are enough where they are unique`,
    )
  const found = (await candidates(start)).filter((id) => id.startsWith(`${prefix}${start}`))
  const [only, ...others] = found
  if (only === undefined) throw await none(start)
  if (others.length === 0) return only
  const more = found.length > SHOWN ? `, and ${found.length - SHOWN} more` : ''
  throw new DomainError(
    'conflict',
    `${found.length} ${what}s begin with ${prefix}${start}: ${found.slice(0, SHOWN).join(', ')}${more}`,
  )
}
