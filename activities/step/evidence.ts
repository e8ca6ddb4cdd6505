import { canonicalText } from '#core/json/canonical.ts'
import { excerptOf } from '#core/run/excerpt.ts'
import { findingOf } from '#core/run/finding.ts'
import type { StepDeps } from '../deps.ts'
import type { RunSession } from '../run/run-session.ts'

/** What a step before the gate found, as an excerpt; `ref` leads to all of its outputs. */
export type Evidence = {
  title: string
  kind: 'step'
  step: string
  /** route of the step; `digest` is that of the `outputs` which it answers */
  ref: string
  digest: string
  excerpt: string
  /** the excerpt is not all of the finding */
  cut: boolean
  age_s: number
}

const EXCERPT_CHARS = 2_000
const MAX_CHARS = 16_000

/** The outputs of every step that has succeeded. */
export function evidenceOf(deps: Pick<StepDeps, 'sha256' | 'clock'>, session: RunSession): Evidence[] {
  const done = session.plan.steps.flatMap((each) => {
    const record = session.steps.get(each.id)
    return record?.state === 'succeeded' && record.outputs !== null
      ? [{ each, outputs: session.redactor.record(record.outputs), ended_at: record.ended_at }]
      : []
  })
  const most = Math.min(EXCERPT_CHARS, Math.floor(MAX_CHARS / Math.max(1, done.length)))
  return done.map(({ each, outputs, ended_at }) => {
    const { text, cut } = excerptOf(findingOf(outputs), most)
    return {
      title: each.name,
      kind: 'step',
      step: each.id,
      ref: `/runs/${session.head.id}/steps/${encodeURIComponent(each.id)}`,
      digest: `sha256:${deps.sha256(canonicalText(outputs))}`,
      excerpt: text,
      cut,
      age_s: ended_at === null ? 0 : Math.max(0, Math.round((deps.clock() - Date.parse(ended_at)) / 1_000)),
    }
  })
}
