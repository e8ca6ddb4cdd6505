import { didYouMean } from '#core/did-you-mean.ts'
import { DomainError } from '#core/errors.ts'
import type { ApiClient } from './api-client.ts'

const ID = /^run_[0-9a-z]{26}$/
const PREFIX = /^(?:run_)?([0-9a-z]{4,26})$/
const LOOKED_AT = 200
const SHOWN = 5

/** The id of the run that somebody named whole, or by the first characters that no other run of theirs has. */
export async function runIdOf(api: Pick<ApiClient, 'runs'>, named: string): Promise<string> {
  if (ID.test(named)) return named
  const [, start] = PREFIX.exec(named.toLowerCase()) ?? []
  if (start === undefined)
    throw new DomainError(
      'validation_failed',
      `${JSON.stringify(named)} is not the id of a run: it begins with run_, and 4 or more characters after that are enough where they are unique`,
    )
  const { items } = await api.runs({ q: `run_${start}` }, LOOKED_AT)
  const found = items.map(({ id }) => id).filter((id) => id.startsWith(`run_${start}`))
  if (found.length === 1 && found[0] !== undefined) return found[0]
  if (found.length === 0) throw new DomainError('not_found', noSuchRun(start, (await api.runs({}, LOOKED_AT)).items))
  const more = found.length > SHOWN ? `, and ${found.length - SHOWN} more` : ''
  throw new DomainError(
    'conflict',
    `${found.length} runs begin with run_${start}: ${found.slice(0, SHOWN).join(', ')}${more}`,
  )
}

function noSuchRun(start: string, newest: readonly { id: string }[]): string {
  const beginnings = newest.map(({ id }) => id.slice(0, 'run_'.length + start.length))
  const whole = (beginning: string) => newest[beginnings.indexOf(beginning)]?.id ?? beginning
  const hint = didYouMean(`run_${start}`, beginnings, whole) || '; see which there are with: svc runs'
  return `no run begins with run_${start}${hint}`
}
