import type { ForetoldStep } from '#core/run/dry-run-schema.ts'
import type { PreparedStep } from './prepare-step.ts'
import type { StepWork } from './step-work.ts'

/** A step of a dry run that came to no operation that could be judged. */
export function foretellUnjudged({ step }: StepWork, prepared: Exclude<PreparedStep, { kind: 'ready' }>): ForetoldStep {
  const { id, name, operator } = step
  const known = { id, name, operator, executed: false }
  if (prepared.kind === 'skipped') return { ...known, would: 'be_skipped', summary: `${step.when} is not true` }
  if (prepared.kind === 'unknown') {
    const { depends_on } = prepared
    const summary = `it depends on what ${depends_on.join(', ')} would bring`
    return { ...known, would: 'unknown', summary, depends_on }
  }
  const { code, message } = prepared.error
  return { ...known, would: 'fail', summary: message, error: { code, message } }
}
