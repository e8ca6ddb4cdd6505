import type { Actor } from '#core/actor.ts'
import type { AuditDraft } from '#core/audit/types.ts'
import { DomainError, isEnded } from '#core/errors.ts'
import type { ClaimKind } from '#core/gate/types.ts'
import type { FireResult, FireScheduleInput } from '#core/schedule/contract.ts'
import { judgeTick, type TickVerdict } from '#core/schedule/judge-tick.ts'
import { timesInLine } from '#core/schedule/missed-times.ts'
import type { FireRule } from '#core/schedule/next-fires.ts'
import type { LastFire } from '#core/schedule/schema.ts'
import { cutText } from '#core/text/text.ts'
import { isoTime } from '#core/time/time.ts'
import { finalOutcome } from '#core/trigger/outcome.ts'
import type { ScheduleRow, ScheduleStore } from '#store/schedules/schedules.ts'
import { type ClaimPorts, refuseClaim } from '../approvals/refuse-claim.ts'
import type { DecisionContext, StartContext } from '../context.ts'
import { admitRun } from '../runs/admit-run.ts'
import { cancelRun } from '../runs/cancel-run.ts'
import type { ServiceDeps } from '../service-deps.ts'
import { placeOf, type WorkspaceDirectory, type WorkspaceEntry } from '../workspaces/workspace-directory.ts'
import { ruleOf, scheduleAudit } from './schedule-record.ts'

export interface FireDeps {
  services: ServiceDeps
  store: ScheduleStore
  workspaces: Pick<WorkspaceDirectory, 'find'>
  claims: ClaimPorts
}

/** A queued firing retries as soon as its turn may have come. */
const RETRY_MS = 500
const LONGEST_RETRY_MS = 20_000

/**
 * Handles one tick of the engine: one run, or the reason for none. Repeats start at most one run, because the first claim of the time has
 * chosen the run's id. Throws passing failures, such as an unavailable database, and refuses a tick that the recorded schedule does not
 * have: a future time, or none of its times, is not used up.
 */
export async function fireSchedule(deps: FireDeps, input: FireScheduleInput): Promise<FireResult> {
  const { store, services } = deps
  const refuse = (kind: ClaimKind) =>
    refuseClaim(deps.claims, kind, input.schedule_id, { nominal_at: input.nominal_at })
  const row = await store.find(input.schedule_id)
  if (row === undefined) throw await refuse('unknown_schedule')
  if (row.workspace_id !== input.workspace_id) throw await refuse('foreign_workspace')
  const workspace = await deps.workspaces.find(row.workspace_id)
  const verdict = await judge(deps, row, input, workspace?.status === 'archived')
  if (verdict.kind === 'claim') throw await refuse(verdict.why)
  if (verdict.kind === 'none') return { kind: 'done', outcome: 'ignored', reason: 'not_scheduled' }
  if (verdict.kind === 'refuse') return settled(store, input, { outcome: verdict.outcome, reason: verdict.reason })
  const claim = await store.claim(input.schedule_id, input.nominal_at, services.ids.next('run'), verdict.line)
  const ctx = contextOf(services, row, workspace)
  switch (claim.state) {
    case 'gone':
      return { kind: 'done', outcome: 'unknown' }
    case 'settled':
      return done(claim.outcome, claim.run_id, claim.reason)
    case 'waiting':
      if (row.overlap === 'cancel_previous') await cancelBefore(ctx, claim.active_run, row)
      return { kind: 'wait' }
    case 'in_line':
      return { kind: 'wait', look_ms: Math.min(RETRY_MS * (claim.ahead + 1), LONGEST_RETRY_MS) }
    case 'claimed':
      return await start(deps, ctx, row, { ...input, run_id: claim.run_id })
  }
}

/** A firing that was claimed, or waits its turn, was judged before. */
async function judge(
  { store }: FireDeps,
  row: ScheduleRow,
  input: FireScheduleInput,
  archived: boolean,
): Promise<Exclude<TickVerdict, { kind: 'fire' }> | { kind: 'fire'; line: string[] }> {
  const { is_open, now: time } = await store.stateAt(input.schedule_id, input.nominal_at)
  if (is_open) return { kind: 'fire', line: [] }
  const now = Date.parse(time)
  const rule = ruleOf(row, now)
  if (rule === undefined) return { kind: 'none' }
  const { jitter_s, enabled, catchup } = row
  const nominal = Date.parse(input.nominal_at)
  const deleted = row.deleted_at !== null
  const changed = Date.parse(row.updated_at)
  const verdict = judgeTick(rule, { nominal, now, changed, jitter_s, enabled, deleted, archived, catchup })
  return verdict.kind === 'fire' ? { ...verdict, line: await lineWith(store, row, rule, { nominal, now }) } : verdict
}

/** The times that are made up for together with this one. */
async function lineWith(
  store: ScheduleStore,
  row: ScheduleRow,
  rule: FireRule,
  { nominal, now }: { nominal: number; now: number },
): Promise<string[]> {
  if (row.catchup !== 'all') return []
  const before = await store.lastBefore(row.id, isoTime(nominal))
  const from = Math.max(Date.parse(row.accounted_until), before === undefined ? 0 : Date.parse(before))
  return timesInLine(rule, { from, now, jitter_s: row.jitter_s }).map(isoTime)
}

async function start(
  { store }: FireDeps,
  ctx: StartContext,
  row: ScheduleRow,
  { run_id, ...input }: FireScheduleInput & { run_id: string },
): Promise<FireResult> {
  try {
    await admitRun(ctx, {
      run_id,
      pack: row.pack,
      template: row.template,
      inputs: row.inputs,
      ...(row.environment === null ? {} : { environment: row.environment }),
      ...(row.profile === null ? {} : { profile: row.profile }),
      ...(row.config_preset === null ? {} : { config_preset: row.config_preset }),
      ...(row.preset_version === null ? {} : { preset_version: row.preset_version }),
      ...(row.dry_run ? { dry_run: true } : {}),
      lane: 'background',
      trigger: {
        type: 'schedule',
        schedule_id: row.id,
        nominal_at: input.nominal_at,
        name: row.name,
        source: row.source,
      },
      human_root: rootOf(row),
    })
    return settled(store, input, { outcome: 'started', run_id })
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    const outcome = error.code === 'forbidden' ? 'invalid' : finalOutcome(error.code)
    if (outcome === undefined) throw error
    const { nominal_at } = input
    const data = { nominal_at, outcome, code: error.code, template: `${row.pack}/${row.template}` }
    const audit = scheduleAudit(ctx, row.id, { action: 'schedule.refused', data })
    const reason = cutText(error.message, 1_000)
    return settled(store, input, { outcome, reason }, { ...audit, category: 'trigger' })
  }
}

/** Returns the person who made the schedule, and the account that did it for them; an account without a person counts itself. */
function rootOf({ id, created_by, made_through }: ScheduleRow): { user_id?: string; via: string[] } {
  const via = made_through === null ? [id] : [made_through, id]
  return { ...(created_by === null ? {} : { user_id: created_by }), via }
}

async function cancelBefore(ctx: DecisionContext, run_id: string, row: ScheduleRow): Promise<void> {
  try {
    await cancelRun(ctx, { run_id, reason: `the schedule ${row.name} fires again` })
  } catch (error) {
    // it has ended by itself, or is not recorded yet: the next attempt tells
    if (!(error instanceof DomainError && isEnded(error.code))) throw error
  }
}

function contextOf(
  services: ServiceDeps,
  row: ScheduleRow,
  workspace: WorkspaceEntry | undefined,
): StartContext & DecisionContext {
  const actor: Actor = {
    type: 'schedule',
    id: row.id,
    display: row.name,
    ...(row.created_by === null ? {} : { human_root: row.created_by }),
    account_id: '',
    roles: ['operator'],
    approval_roles: [],
    scopes: [],
    workspaces: [row.workspace_id],
    auth: 'none',
  }
  return {
    ...services,
    actor,
    workspace_id: row.workspace_id,
    ...placeOf(workspace),
    channel: 'system',
    request_id: services.ids.next('request'),
  }
}

async function settled(
  store: ScheduleStore,
  { schedule_id, nominal_at }: FireScheduleInput,
  result: { outcome: LastFire['outcome']; run_id?: string; reason?: string },
  audit?: AuditDraft,
): Promise<FireResult> {
  const { outcome, run_id, reason } = await store.settle({ schedule_id, nominal_at, ...result }, audit)
  return done(outcome, run_id, reason)
}

function done(outcome: string, run_id?: string | null, reason?: string | null): FireResult {
  return { kind: 'done', outcome, ...(run_id ? { run_id } : {}), ...(reason ? { reason } : {}) }
}
