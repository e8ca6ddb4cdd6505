import type { Simulation } from '#core/operator.ts'
import { withAbort } from '#platform/within.ts'
import type { Refusal } from '#store/runs/run-answers.ts'
import { flush } from '../run/commit.ts'
import { asksStanding } from './open-step.ts'
import { redactedLog } from './redact-result.ts'
import { operatorContext } from './run-operator.ts'
import { keepLog } from './step-log.ts'
import type { JudgedWork } from './work.ts'

/** Predicts the operation without effect when a policy, or the run itself, asks for it; a known result for the same plan stands. */
export async function simulateStep(work: JudgedWork): Promise<Simulation | Refusal | undefined> {
  const { deps, session, step, judged, record } = work
  const { plan_hash } = judged
  const wanted = judged.verdict.dry_run || (session.head.dry_run && !judged.is_read)
  const { simulate } = judged.operator
  if (!wanted || simulate === undefined) return undefined
  const known = record?.simulation
  if (known && record.plan_hash === plan_hash) {
    const result = { summary: String(known['summary']), details: known['details'] ?? null }
    if (known['ok'] === true) return { ok: true, ...result }
    return { ok: false, ...(known['not_tried'] === true ? { not_tried: true } : {}), ...result }
  }
  const fenced = await flush(deps, session)
  if (fenced !== undefined) return fenced
  const opening = { step_id: step.id, plan_hash, ask_standing: asksStanding(work) }
  const refused = await deps.runs.askOpening(session.head.id, session.fence, opening)
  if (refused !== undefined) return refused
  try {
    const log = redactedLog(keepLog({ ...deps, write: async () => false }).log, session.redactor)
    const simulation = await withAbort(session.signal, step.timeout_ms, (signal) => {
      const { ctx } = operatorContext(work, { attempt: 0, signal, beforeSending: async () => undefined, log })
      return simulate(ctx, judged.input)
    })
    return session.redactor.data({ ...simulation, details: simulation.details ?? null })
  } catch (error) {
    return { ok: false, summary: session.redactor.text(error instanceof Error ? error.message : String(error)) }
  }
}
