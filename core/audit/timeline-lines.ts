import type { JsonObject } from '../json/json.ts'
import type { TimelineGate } from './is-gate-met.ts'
import type { RunTimeline, TimelineEffect } from './timeline.ts'

/** A sentence of the timeline, with its topic in a word. */
export interface TimelineSection {
  title: string
  text: string
}

/** The timeline of a run in about ten lines, as a terminal shows them. */
export function timelineLines(timeline: RunTimeline): string[] {
  return timelineSections(timeline).map(({ title, text }) => `${title.padEnd(9)}${text}`)
}

/** Formats the timeline of a run in about ten parts: requester, rules, votes, steps, cost, end. */
export function timelineSections(timeline: RunTimeline): TimelineSection[] {
  const [gated, free] = [timeline.effects.filter(isGated), timeline.effects.filter((effect) => !isGated(effect))]
  return [
    line(
      'run',
      `${timeline.run_id}: ${timeline.template} in ${timeline.environment}${timeline.dry_run ? ', a dry run' : ''}`,
    ),
    line('asked', asked(timeline)),
    ...(timeline.repeats === undefined ? [] : [line(timeline.repeats.how, repeated(timeline.repeats))]),
    ...timeline.gates.flatMap(gateLines),
    ...gated.map((effect) => line('ran', ran(effect))),
    ...(free.length === 0 ? [] : [line('ran', `${free.map(brief).join(', ')}: no approval was required`)]),
    ...(timeline.refused === 0 ? [] : [line('refused', `${timeline.refused} answers, claims or links`)]),
    line('cost', `${timeline.cost_usd} USD`),
    line('ended', ended(timeline)),
    line('approved', verdict(timeline)),
  ]
}

function line(title: string, text: string): TimelineSection {
  return { title, text }
}

function asked({ requested_by, auth, channel, human_root, via, at }: RunTimeline): string {
  const root = human_root === null ? 'nobody who is known' : human_root
  const way = via.length === 0 ? '' : ` by way of ${via.join(', ')}`
  return `by ${requested_by} (${auth}, ${channel}) for ${root}${way}, ${at}`
}

function repeated({ run_id, how, taken_over }: NonNullable<RunTimeline['repeats']>): string {
  if (how === 'again') return `of ${run_id}, from its first step`
  const taken = taken_over.map(({ step, run_id: source, attempt }) => `${step} of ${source} (attempt ${attempt})`)
  return `of ${run_id}; not executed, but taken over: ${taken.join(', ') || 'nothing'}`
}

function gateLines(gate: TimelineGate): TimelineSection[] {
  const { gate_id, step, votes, status, cause, ended_by, ended_at, because } = gate
  const end =
    status === 'open' ? 'still open' : `${status}${cause === null ? '' : ` (${cause})`} by ${ended_by}, ${ended_at}`
  const met = gate.met === false ? '; THE COUNTED VOTES DO NOT MEET WHAT WAS REQUIRED' : ''
  return [
    line('required', `for ${step}: ${requirementText(gate.required)}; because ${because.join('; ')}`),
    ...votes.map(({ by, decision, channel, auth, roles, via, at }) => {
      const through = via === null ? '' : ` through ${via}`
      return line(
        'answered',
        `${by}${through}: ${decision} (${channel}, ${auth}; ${roles.join(', ') || 'no role'}), ${at}`,
      )
    }),
    line('gate', `${gate_id} on plan ${gate.plan_hash}: ${end}${met}`),
  ]
}

function requirementText({
  approvals,
  approval_roles,
  prevent_self,
  require_note,
  require_plan_hash,
}: JsonObject): string {
  const clauses = Array.isArray(approval_roles)
    ? approval_roles.map((clause) => (Array.isArray(clause) ? clause.join(' or ') : ''))
    : []
  return [
    `${approvals} approval${approvals === 1 ? '' : 's'}`,
    ...clauses.map((clause) => `one by ${clause}`),
    ...(prevent_self === true ? ['not by the requester'] : []),
    ...(typeof require_note === 'string' ? [`a note (${require_note})`] : []),
    ...(require_plan_hash === true ? ['the plan hash'] : []),
  ].join(', ')
}

function isGated({ as_approved, vouched_by, targets }: TimelineEffect): boolean {
  return as_approved !== null || vouched_by !== null || targets.length > 0
}

function ran(effect: TimelineEffect): string {
  const { step, operator, attempt, targets, plan_hash, approved_by, vouched_by, as_approved, state } = effect
  const what = `${step} (${operator}, attempt ${attempt}: ${state ?? 'not settled'})`
  const where = targets.length === 0 ? '' : ` on ${targets.join(', ')}`
  const how =
    as_approved === null
      ? 'no approval was required'
      : as_approved
        ? `as approved in ${approved_by}`
        : 'NOT AS APPROVED'
  const override = vouched_by === null ? '' : `, owner override in ${vouched_by}`
  return `${what}${where}, plan ${plan_hash}: ${how}${override}`
}

function brief({ step, state }: TimelineEffect): string {
  return state === 'succeeded' ? step : `${step} (${state ?? 'not settled'})`
}

function ended({ ended: end }: RunTimeline): string {
  if (end === null) return 'not yet'
  return `${end.status}${end.why === null ? '' : ` (${end.why})`}, ${end.at}`
}

function verdict({ effects, as_approved }: RunTimeline): string {
  if (!as_approved) return 'NO: something ran, or was approved, otherwise than it had to be'
  const count = effects.filter((effect) => effect.as_approved === true).length
  return count === 0 ? 'nothing ran that had to be approved' : 'what was approved is what ran'
}
