import type { Schema } from './create-client.ts'

type Pipeline = Pick<Schema<'Pipeline'>, 'steps' | 'not_taken_back'>

/** Lists the steps that should have been compensated and were not; empty for none. */
export function notTakenBackText(left: Pipeline['not_taken_back'] = []): string {
  const steps = [...new Set(left.map(({ step }) => step))]
  return steps.length === 0 ? '' : `not taken back: ${steps.join(', ')}`
}

/** Formats the progress of the compensations, and the effects that remain; empty for none. */
export function compensatedText({ steps, not_taken_back = [] }: Pipeline): string {
  const all = steps.flatMap(({ runs }) => runs.filter(({ role }) => role === 'compensation'))
  if (all.length === 0) return ''
  const done = all.filter(({ status }) => status === 'succeeded').length
  const left = notTakenBackText(not_taken_back)
  return `${done} of ${all.length}${left === '' ? '' : `; ${left}: look after it by hand`}`
}
