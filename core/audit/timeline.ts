import { type JsonObject, nullable, objectOf, textOf, textsOf } from '../json/json.ts'
import { MICRO_PER_USD } from '../money.ts'
import { TERMINAL_STATUSES } from '../run/status.ts'
import type { TimelineGate } from './is-gate-met.ts'
import { isGateMet } from './is-gate-met.ts'
import type { AuditEvent } from './types.ts'

export interface TimelineEffect {
  step: string
  operator: string
  attempt: number
  plan_hash: string
  targets: string[]
  approved_by: string | null
  /** the gate in which an owner answered for the requester who lost their authority */
  vouched_by: string | null
  /** null where it needed no approval */
  as_approved: boolean | null
  state: string | null
}

/** A run, as told by the chain alone. */
export interface RunTimeline {
  run_id: string
  template: string
  environment: string
  at: string
  requested_by: string
  auth: string
  channel: string
  human_root: string | null
  via: string[]
  dry_run: boolean
  /** the run that it repeats, and the steps whose outputs it has taken over */
  repeats?: { run_id: string; how: 'again' | 'retry'; taken_over: { step: string; run_id: string; attempt: number }[] }
  gates: TimelineGate[]
  effects: TimelineEffect[]
  /** answers, claims and links that were refused */
  refused: number
  cost_usd: string
  ended: { status: string; at: string; why: string | null } | null
  /** true if every step that needed approval ran as approved, with the required votes */
  as_approved: boolean
}

/** Builds the timeline of a run from its records, in their order; undefined when its beginning is not among them. */
export function buildTimeline(events: readonly AuditEvent[]): RunTimeline | undefined {
  const begun = events.find(({ action }) => action === 'run.admitted')
  if (begun === undefined) return undefined
  const { data } = begun
  const root = objectOf(data['human_root'])
  const timeline: RunTimeline = {
    run_id: begun.subject.id,
    template: textOf(data['template']),
    environment: textOf(data['environment']),
    at: begun.ts,
    requested_by: begun.actor.id,
    auth: begun.actor.auth,
    channel: begun.channel ?? '',
    human_root: nullable(root['user_id']),
    via: textsOf(root['via']),
    dry_run: data['dry_run'] === true,
    ...repeatedBy(data),
    gates: [],
    effects: [],
    refused: 0,
    cost_usd: '0',
    ended: null,
    as_approved: true,
  }
  let cost = 0
  for (const event of events) {
    if (isCharge(event)) cost += Math.round(Number(event.data['cost_usd'] ?? 0) * MICRO_PER_USD)
    addEvent(timeline, event)
  }
  timeline.cost_usd = (cost / MICRO_PER_USD).toFixed(6)
  timeline.as_approved =
    timeline.effects.every(({ as_approved }) => as_approved !== false) &&
    timeline.gates.every(({ met }) => met !== false)
  return timeline
}

function repeatedBy(data: JsonObject): Pick<RunTimeline, 'repeats'> {
  const [again, retry] = [nullable(data['again_of']), nullable(data['retry_of'])]
  const run_id = again ?? retry
  if (run_id === null) return {}
  const taken_over = Object.entries(objectOf(data['taken_over'])).map(([step, from]) => {
    const { run_id: source, attempt } = objectOf(from)
    return { step, run_id: textOf(source), attempt: Number(attempt ?? 0) }
  })
  return { repeats: { run_id, how: again === null ? 'retry' : 'again', taken_over } }
}

/** True for an attempt of a step, or a model call that the run paid for itself: a step's calls are part of its attempt's cost. */
function isCharge({ category, data }: AuditEvent): boolean {
  return category === 'lineage' || (category === 'model_call' && data['step'] === undefined)
}

function addEvent(timeline: RunTimeline, event: AuditEvent): void {
  const { action, data } = event
  if (action === 'gate.opened') timeline.gates.push(openedGate(event))
  else if (action === 'policy.decided' && data['led_to'] === 'effect')
    timeline.effects.push(begunEffect(timeline, event))
  else if (action === 'policy.decided' && data['led_to'] === 'denial') return
  else if (action === 'step.settled') settle(timeline, event)
  else if (action.endsWith('.refused')) timeline.refused += typeof data['times'] === 'number' ? data['times'] : 1
  else if (event.subject.type === 'gate') addAnswer(timeline, event)
  else {
    const status = TERMINAL_STATUSES.find((each) => action === `run.${each}`)
    if (status === undefined) return
    closeGate(timeline, event)
    timeline.ended = { status, at: event.ts, why: nullable(data['code']) }
  }
}

function openedGate({ data }: AuditEvent): TimelineGate {
  return {
    gate_id: textOf(data['gate_id']),
    step: textOf(data['step']),
    kind: textOf(data['kind']),
    plan_hash: textOf(data['plan_hash']),
    because: textsOf(data['because']),
    required: objectOf(data['required']),
    votes: [],
    status: 'open',
    cause: null,
    ended_by: null,
    ended_at: null,
    met: null,
  }
}

/** A vote, or the end of a gate, or both. */
function addAnswer(timeline: RunTimeline, event: AuditEvent): void {
  const { data, actor, channel, ts } = event
  const gate = timeline.gates.find(({ gate_id }) => gate_id === event.subject.id)
  if (gate === undefined) return
  const decision = nullable(data['decision'])
  if (decision !== null)
    gate.votes.push({
      by: actor.id,
      decision,
      at: ts,
      channel: channel ?? '',
      auth: actor.auth,
      roles: textsOf(data['roles']),
      via: nullable(data['via']),
      note: nullable(data['note']),
    })
  const status = textOf(data['status'])
  if (status === 'open' || status === '') return
  Object.assign(gate, { status, cause: nullable(data['cause']), ended_by: actor.id, ended_at: ts })
  if (status === 'approved') gate.met = isGateMet(gate, data)
  else timeline.ended = { status, at: ts, why: gate.cause ?? nullable(data['note']) }
}

function begunEffect(timeline: RunTimeline, { data, subject }: AuditEvent): TimelineEffect {
  const step = subject.id.slice(timeline.run_id.length + 1)
  const approved_by = nullable(data['approved_by'])
  const plan_hash = textOf(data['plan_hash'])
  const vouched_by = nullable(data['vouched_by'])
  const approved = timeline.gates.filter(({ status }) => status === 'approved')
  const matches = approved.some(
    (gate) =>
      gate.gate_id === approved_by &&
      gate.kind !== 'standing_lost' &&
      gate.step === step &&
      gate.plan_hash === plan_hash,
  )
  const isOverridden = approved.some(
    (gate) =>
      gate.gate_id === vouched_by &&
      gate.kind === 'standing_lost' &&
      (gate.step !== step || gate.plan_hash === plan_hash),
  )
  const isFree = approved_by === null && data['gate'] !== true
  return {
    step,
    operator: textOf(data['operator']),
    attempt: Number(data['attempt'] ?? 0),
    plan_hash,
    targets: textsOf(objectOf(data['targets'])['ids']),
    approved_by,
    vouched_by,
    as_approved: vouched_by !== null && !isOverridden ? false : isFree ? null : matches,
    state: null,
  }
}

function settle({ effects, run_id }: RunTimeline, { data, subject }: AuditEvent): void {
  const step = subject.id.slice(run_id.length + 1)
  const effect = effects.findLast((each) => each.step === step && each.attempt === data['attempt'])
  if (effect === undefined) return
  effect.state = textOf(data['state'])
  if (effect.plan_hash !== data['plan_hash']) effect.as_approved = false
  effect.operator = textOf(data['operator']) || effect.operator
}

/** A gate that was open when its run ended went with it. */
function closeGate({ gates }: RunTimeline, { data, actor, ts }: AuditEvent): void {
  const gate = gates.find(({ gate_id, status }) => gate_id === data['gate_id'] && status === 'open')
  if (gate !== undefined) Object.assign(gate, { status: 'cancelled', ended_by: actor.id, ended_at: ts })
}
