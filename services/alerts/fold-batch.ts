import { DomainError } from '#core/errors.ts'
import { createLru } from '#core/lru.ts'
import { inLockOrder } from '#core/trigger/fingerprint.ts'
import type { AlertStore } from '#store/alerts/alerts.ts'
import type { Admitted } from '#store/runs/run-answers.ts'
import type { Later, StartContext } from '../context.ts'
import type { Admission } from '../runs/admission.ts'
import { admitRuns } from '../runs/admit-run.ts'
import { type FiringAlert, type Group, groupBy, type WaitingAlert } from './firing-alerts.ts'
import { type Attaching, attachedAlerts } from './kept-alert.ts'
import type { KnownStates } from './known-states.ts'
import { refuseAlerts } from './refuse-alerts.ts'
import type { StartPace } from './start-pace.ts'

/** Fingerprints that have had a run through this process: in a storm nearly every alert is of one of them. */
interface SeenFingerprints {
  has(workspace_id: string, fingerprint: string): boolean
  add(workspace_id: string, fingerprint: string): void
  forget(workspace_id: string, fingerprint: string): void
}

const MAX_SEEN = 100_000

export function createSeenFingerprints(): SeenFingerprints {
  const seen = createLru<string, true>(MAX_SEEN)
  const keyOf = (workspace_id: string, fingerprint: string) => `${workspace_id}/${fingerprint}`
  return {
    has: (workspace_id, fingerprint) => seen.get(keyOf(workspace_id, fingerprint)) === true,
    add: (workspace_id, fingerprint) => seen.set(keyOf(workspace_id, fingerprint), true),
    forget: (workspace_id, fingerprint) => seen.delete(keyOf(workspace_id, fingerprint)),
  }
}

/** Alerts that this process has attached or started. */
export interface Memory {
  seen: SeenFingerprints
  states: KnownStates
}

type Ends = Pick<AlertStore, 'ended'>

/** A run is admitted in the name of the one who sent its first alert, so callers are kept apart. */
export async function foldBatch(batch: WaitingAlert[], ends: Ends, memory: Memory, pace: StartPace): Promise<void> {
  for (const { first, members } of groupBy(batch, callerOf)) {
    try {
      const firing = await answerEnded(first.ctx, members, ends)
      const left = await attachKnown(first.ctx, firing, memory)
      if (left.length > 0) await admitAll(first.ctx, left, pace(first.ctx), memory)
      for (const { alert } of members) memory.seen.add(first.ctx.workspace_id, alert.fingerprint)
    } catch (error) {
      for (const member of members) member.fail(error)
    }
  }
}

/** Answers alerts whose episode has ended already: an end after the beginning starts nothing. */
async function answerEnded(ctx: StartContext, waiting: WaitingAlert[], ends: Ends): Promise<WaitingAlert[]> {
  if (ctx.forced === true) return waiting
  const ended = await ends.ended(
    ctx.workspace_id,
    waiting.map(({ alert: { scope, member, at, remembered_s } }) => ({ scope, member, at, remembered_s })),
  )
  return waiting.filter((one, index) => {
    const ended_at = ended[index]
    if (ended_at === undefined) return true
    one.answer({ outcome: 'suppressed', detail: endedBefore(ended_at) })
    return false
  })
}

/**
 * Attaches duplicates to the active runs of their fingerprints, without drafting needless runs. Alerts whose run has ended, or is unknown
 * here, remain.
 */
async function attachKnown(
  ctx: StartContext,
  waiting: WaitingAlert[],
  { seen, states }: Memory,
): Promise<WaitingAlert[]> {
  const known = inLockOrder(
    groupBy(
      waiting.filter(({ alert }) => seen.has(ctx.workspace_id, alert.fingerprint)),
      ({ alert }) => alert.fingerprint,
    ),
    ({ first }) => first.alert.fingerprint,
  )
  if (known.length === 0) return waiting
  const { workspace_id } = ctx
  const requests = known.map(({ first, members }) => {
    const { fingerprint } = first.alert
    const key = `${workspace_id}/${fingerprint}`
    const isChanged = ({ member, kept }: Attaching) => states.isChanged(key, member, kept.digest)
    const alerts = attachedAlerts(alertsOf(members), isChanged)
    return { workspace_id, fingerprint, run_id: states.runOf(key), alerts }
  })
  const attached = await ctx.runs.attach(requests)
  const answered = new Set<WaitingAlert>()
  for (const [index, group] of known.entries()) {
    const joined = attached[index]
    if (!joined) {
      seen.forget(workspace_id, group.first.alert.fingerprint)
      states.forget(`${workspace_id}/${group.first.alert.fingerprint}`)
      continue
    }
    noteStates(states, group, workspace_id, joined.run_id)
    ctx.notifyRun(joined.run_id)
    answerAll(group.members, joined)
    for (const member of group.members) answered.add(member)
  }
  return waiting.filter((one) => !answered.has(one))
}

function alertsOf(members: WaitingAlert[]): FiringAlert[] {
  return members.map(({ alert }) => alert)
}

function noteStates(states: KnownStates, { first, members }: Group, workspace_id: string, run_id: string): void {
  const sent = members.map(({ alert }) => ({ member: alert.member, digest: alert.kept.digest }))
  states.note(`${workspace_id}/${first.alert.fingerprint}`, run_id, sent)
}

/**
 * Admits one run per fingerprint. The first alert that may start a run decides for all; if it is refused, so are those with the same
 * request, and the others try again.
 */
async function admitAll(ctx: StartContext, waiting: WaitingAlert[], later: Later, { states }: Memory): Promise<void> {
  let groups = groupBy(waiting, ({ alert }) => alert.fingerprint)
  while (groups.length > 0) {
    const outcomes = await admitRuns(ctx, groups.map(toAdmission), later)
    const left = groups.flatMap((group, index) => {
      const outcome = outcomes[index]
      if (outcome === undefined) throw new DomainError('internal', 'an admission had no outcome')
      if (outcome.kind === 'refused') return refuseAlerts(group, outcome.error)
      noteStates(states, group, ctx.workspace_id, outcome.admitted.run_id)
      answerAll(group.members, outcome.admitted)
      return []
    })
    groups = groupBy(left, ({ alert }) => alert.fingerprint)
  }
}

function toAdmission(group: Group): Admission {
  const { admission, fingerprint, kept } = group.first.alert
  return { ...admission, fingerprint, alert: kept.started_by(), alerts: attachedAlerts(alertsOf(group.members)) }
}

/** The counts of a group are consecutive and end at the run's; the alert that started a run is not counted. */
function answerAll(members: WaitingAlert[], { run_id, started, attached_count }: Admitted): void {
  members.forEach((member, index) => {
    const outcome = started && index === 0 ? 'started' : 'attached'
    member.answer({ outcome, run_id, attached_count: attached_count - (members.length - 1 - index) })
  })
}

export function endedBefore(ended_at: string): string {
  return `it came late: it fired before ${ended_at}, when this alert ended`
}

const actors = new WeakMap<StartContext['actor'], string>()

function callerOf({ ctx }: WaitingAlert): string {
  const { actor } = ctx
  const known = actors.get(actor) ?? JSON.stringify(actor)
  actors.set(actor, known)
  return `${ctx.workspace_id} ${ctx.channel} ${ctx.replay_of ?? ''} ${ctx.forced === true} ${known}`
}
