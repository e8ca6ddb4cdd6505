import type { InboxStatus } from '../inbox/item.ts'
import { REFUSED_OUTCOMES, type SignalOutcome } from '../trigger/outcome.ts'
import { ACTED_STAGES, type ActedStage, type DeliveryTrace, type TraceStage } from './trace-schema.ts'
import type { VerifySpec } from './verify-schema.ts'

/** The record of a delivery whose signature was valid. */
export interface DeliveryRecord {
  id: string
  pack: string
  name: string
  received_at: string
  /** the answer to its sender */
  answer: {
    outcome: SignalOutcome | 'received'
    run_id?: string
    rule?: string
    detail?: string
    stopped_at?: ActedStage
    why?: string
  } | null
  /** the entry of the inbox, where there is one */
  kept: { status: InboxStatus; run_id: string | null; error: { message: string } | null } | null
}

type End = Pick<DeliveryTrace, 'outcome' | 'run_id' | 'rule'> & { detail?: string | undefined; stopped_at?: ActedStage }

/** Returns the stages of a delivery as far as the record shows them. `verify` is the current verification of its ingress. */
export function traceDelivery(record: DeliveryRecord, verify: VerifySpec | undefined): DeliveryTrace {
  const { id, pack, name, received_at } = record
  const end = endOf(record)
  const { outcome, run_id, rule } = end
  return {
    delivery_id: id,
    ingress: `${pack}/${name}`,
    received_at,
    outcome,
    ...(verify !== undefined && { scheme: verify.scheme }),
    rule,
    run_id,
    stages: [
      { stage: 'received', result: 'passed' },
      // only deliveries with a valid signature are recorded
      { stage: 'signature', result: 'passed' },
      {
        stage: 'replay_window',
        result: verify === undefined ? 'unknown' : signsTime(verify) ? 'passed' : 'not_checked',
      },
      { stage: 'repeat', result: 'passed' },
      ...actedStages(end),
    ],
  }
}

/** Returns the answer to the sender, or for a delivery that the inbox kept, its outcome there. */
function endOf({ answer, kept }: DeliveryRecord): End {
  if (answer !== null && answer.outcome !== 'received')
    return { detail: answer.why, ...answer, outcome: answer.outcome }
  if (kept === null) return { outcome: answer === null ? 'working' : 'received' }
  const { status, run_id, error } = kept
  return {
    outcome: status,
    ...(run_id !== null && { run_id }),
    ...(error !== null && { detail: error.message }),
  }
}

function actedStages(end: End): TraceStage[] {
  const { outcome, detail, rule, stopped_at = lastStage(end) } = end
  if (outcome === 'working' || outcome === 'received')
    return ACTED_STAGES.map((stage): TraceStage => ({ stage, result: 'pending' }))
  const why = detail === undefined ? {} : { detail }
  if (stopped_at === undefined)
    return ACTED_STAGES.map((stage): TraceStage => ({ stage, result: 'unknown', ...(stage === 'run' ? why : {}) }))
  const last = ACTED_STAGES.indexOf(stopped_at)
  const isRun = outcome === 'started' || outcome === 'attached' || outcome === 'resolved'
  const isRecovery = outcome === 'resolved' || (outcome === 'unmatched' && stopped_at === 'run')
  return ACTED_STAGES.map((stage, place): TraceStage => {
    if (place > last) return { stage, result: 'not_reached' }
    if (stage === 'rules' && isRecovery) return { stage, result: 'not_checked' }
    if (place === last && !isRun) return { stage, result: 'stopped', ...why }
    return { stage, result: 'passed', ...(stage === 'rules' && rule !== undefined ? { detail: rule } : {}) }
  })
}

/** Returns the last stage of a delivery by its outcome alone; undefined where that does not tell. */
function lastStage({ outcome, rule }: End): ActedStage | undefined {
  if (outcome === 'started' || outcome === 'attached' || outcome === 'resolved' || outcome === 'throttled') return 'run'
  if (rule !== undefined || REFUSED_OUTCOMES.some((each) => each === outcome)) return 'run'
  return outcome === 'suppressed' ? 'when' : undefined
}

/** Tells whether a proof includes a time, so that an old one is refused. */
function signsTime(verify: VerifySpec): boolean {
  if (verify.scheme === 'grafana' || verify.scheme === 'hmac') return verify.timestamp_header !== undefined
  return !['github', 'pagerduty', 'bearer'].includes(verify.scheme)
}
