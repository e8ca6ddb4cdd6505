import { answeredBy } from '../../../../client/gate-text.ts'
import { ApiError, api, given } from '../../lib/api.ts'
import { STRINGS } from '../../strings.ts'
import { type Answer, decide, hasNoGate, type Outcome } from './api.ts'

/** What became of the answer to one gate of a group. */
export type GateResult =
  | { kind: 'sending' }
  | { kind: 'done'; outcome: Outcome }
  /** somebody else was first */
  | { kind: 'decided'; by: string }
  | { kind: 'changed' }
  /** it may be sent again; a lost answer under the same key */
  | { kind: 'refused'; code: string; message: string }

/** refusals after which the gate is another one than was shown */
const OVERTAKEN: ReadonlySet<string> = new Set(['gate_resolved', 'run_not_awaiting', 'not_found', 'plan_changed'])
/** so often an answer waits for its turn under the limit of requests */
const MAX_WAITS = 30

/** Answers a gate as it was shown, and says what became of that. */
export async function answerShown(answer: Answer): Promise<GateResult> {
  for (let waits = 0; ; waits++) {
    try {
      return { kind: 'done', outcome: await decide(answer) }
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      if (error.code === 'rate_limited' && waits < MAX_WAITS) {
        await new Promise((resolve) => window.setTimeout(resolve, waitOf(error)))
        continue
      }
      const refused: GateResult = { kind: 'refused', code: error.code, message: error.message }
      if (!OVERTAKEN.has(error.code)) return refused
      return error.code === 'plan_changed' ? { kind: 'changed' } : await whoWasFirst(answer.gate).catch(() => refused)
    }
  }
}

function waitOf({ body }: ApiError): number {
  const { retry_after_s } = (body ?? {}) as { retry_after_s?: number }
  return (retry_after_s ?? 1) * 1_000 + Math.random() * 500
}

/** Another gate of the run is open by now, or somebody has answered this one. */
async function whoWasFirst({ run_id, gate_id }: Answer['gate']): Promise<GateResult> {
  const params = { path: { id: run_id } }
  const open = await api.GET('/runs/{id}/pending-approval', { params }).then(
    () => true,
    (error: unknown) => {
      if (hasNoGate(error)) return false
      throw error
    },
  )
  if (open) return { kind: 'changed' }
  const run = given(await api.GET('/runs/{id}', { params }))
  const words = STRINGS.gates
  const gate = run.gates.find((each) => each.gate_id === gate_id)
  const decisions = gate?.decisions?.map(({ by, name, decision, channel }) =>
    words.decided.by(answeredBy({ by, name }), words.words[decision], channel),
  )
  return { kind: 'decided', by: decisions?.join('; ') || (gate === undefined ? '' : words.decided.status[gate.status]) }
}
