import type { Redactor } from '#core/secret/redactor.ts'
import { visible } from '#core/visible-text.ts'
import type { GateRecord } from '#store/run-answers.ts'
import type { JudgedStep } from './step-work.ts'

const MOST_CHARS = 500

/** What differs between the plan that a gate showed and the one that would run now, in a sentence; undefined where the gate does not say. */
export function planChanges(
  { covers }: Pick<JudgedStep, 'covers'>,
  redactor: Redactor,
  shown: Pick<GateRecord, 'covers'> | undefined,
): string | undefined {
  const before = shown?.covers
  if (!before) return undefined
  const changes = Object.entries(covers).flatMap(([name, { title, digest, text }]) => {
    const was = before[name]
    if (was?.digest === digest) return []
    if (was === undefined || text === undefined) return [title]
    // as the gate kept it
    const is = redactor.text(visible(text))
    // what is hashed and not shown is a secret
    if (was.text === is) return [`${title} (a key or another secret of ${cut(is)}, or a setting of it)`]
    return [`${title} (was ${cut(was.text ?? 'none')}; is ${cut(is)})`]
  })
  return changes.length === 0 ? undefined : `changed since this was approved: ${changes.join('; ')}`
}

function cut(text: string): string {
  return text.length <= MOST_CHARS ? text : `${text.slice(0, MOST_CHARS).toWellFormed()}…`
}
