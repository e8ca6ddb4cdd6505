import { DomainError } from '#core/errors.ts'
import { didYouMean } from '#core/text/did-you-mean.ts'
import type { ApiClient } from './api-client.ts'
import { idByPrefix } from './id-by-prefix.ts'

const LOOKED_AT = 200

/** The id of the run that somebody named whole, or by the first characters that no other run of theirs has. */
export async function runIdOf(api: Pick<ApiClient, 'runs'>, named: string): Promise<string> {
  return await idByPrefix(named, {
    what: 'run',
    prefix: 'run_',
    candidates: async (start) => (await api.runs({ q: `run_${start}` }, LOOKED_AT)).items.map(({ id }) => id),
    none: async (start) => new DomainError('not_found', noSuchRun(start, (await api.runs({}, LOOKED_AT)).items)),
  })
}

function noSuchRun(start: string, newest: readonly { id: string }[]): string {
  const beginnings = newest.map(({ id }) => id.slice(0, 'run_'.length + start.length))
  const whole = (beginning: string) => newest[beginnings.indexOf(beginning)]?.id ?? beginning
  const hint = didYouMean(`run_${start}`, beginnings, whole) || '; see which there are with: svc runs'
  return `no run begins with run_${start}${hint}`
}
