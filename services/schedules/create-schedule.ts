import { DomainError } from '#core/errors.ts'
import { nextFires } from '#core/schedule/next-fires.ts'
import type { CreatedSchedule, ScheduleDraft } from '#core/schedule/schema.ts'
import { isoTime } from '#core/time/time.ts'
import type { ScheduleRow } from '#store/schedules/schedules.ts'
import { defineVerb } from '../define-verb.ts'
import { configureInputs } from '../runs/configure-inputs.ts'
import { type CheckedDraft, checkDraft } from './check-draft.ts'
import { forecastPolicies, UNKNOWN_FORECAST } from './forecast-policies.ts'
import { syncNow } from './put-in-engine.ts'
import { ruleOf, type ScheduleContext, scheduleAudit, toScheduleRecord } from './schedule-record.ts'

/** Makes a schedule of the caller's workspace. Throws `invalid_schedule`, `validation_failed`, or `conflict` for a name that is taken. */
export const createSchedule = defineVerb(
  { role: 'operator', access: 'write', scope: 'workspace' },
  async (ctx: ScheduleContext, draft: ScheduleDraft): Promise<CreatedSchedule> => {
    const made = await storedBefore(ctx)
    if (made !== undefined) return await answer(ctx, made, await stillChecked(ctx, draft))
    const checked = await checkWithPreset(ctx, draft)
    return await answer(ctx, await store(ctx, draft, checked), checked)
  },
)

async function answer(
  ctx: ScheduleContext,
  row: ScheduleRow,
  checked: CheckedDraft | undefined,
): Promise<CreatedSchedule> {
  const now = ctx.clock()
  const [synced, policy_forecast] = await Promise.all([
    syncNow(ctx, row),
    checked === undefined ? UNKNOWN_FORECAST : forecastPolicies(ctx, checked),
  ])
  const rule = ruleOf(row, now)
  return {
    ...toScheduleRecord(ctx, synced, now),
    next_fires: rule === undefined ? [] : nextFires(rule, now, 10).map(isoTime),
    policy_forecast,
  }
}

/** Returns what an earlier attempt has stored. */
async function storedBefore({ attempt, schedules, workspace_id }: ScheduleContext): Promise<ScheduleRow | undefined> {
  return attempt?.done && (await schedules.store.findIn(workspace_id, attempt.done.subject.id))
}

/** Undefined if the stored schedule would be refused now. */
async function stillChecked(ctx: ScheduleContext, draft: ScheduleDraft): Promise<CheckedDraft | undefined> {
  try {
    return await checkWithPreset(ctx, draft)
  } catch (error) {
    if (error instanceof DomainError) return undefined
    throw error
  }
}

async function store(ctx: ScheduleContext, draft: ScheduleDraft, checked: CheckedDraft): Promise<ScheduleRow> {
  const id = ctx.ids.next('schedule')
  const { actor, workspace_id } = ctx
  const person = actor.type === 'user' ? actor.id : actor.human_root
  const { name, cron, timezone, pack, template, enabled } = draft
  const row = await ctx.schedules.store.create(
    {
      ...draft,
      id,
      workspace_id,
      source: 'console',
      // a preset fills in what the schedule leaves open, so the schedule's own inputs stay as given
      inputs: draft.config_preset === undefined ? checked.inputs : draft.inputs,
      dry_run: false,
      days: draft.days ?? null,
      profile: draft.profile ?? null,
      environment: draft.environment ?? null,
      config_preset: draft.config_preset ?? null,
      preset_version: draft.preset_version ?? null,
      created_by: person ?? null,
      made_through: actor.type === 'user' ? null : actor.id,
    },
    scheduleAudit(ctx, id, {
      action: 'schedule.created',
      data: { name, cron, timezone, template: `${pack}/${template}`, enabled },
    }),
  )
  if (row === undefined) {
    // or its preset was deleted meanwhile, which this refuses
    await checkWithPreset(ctx, draft)
    throw new DomainError('conflict', `There is a schedule ${name} already.`)
  }
  return row
}

/** With the values of the pinned preset, like a firing. */
async function checkWithPreset(ctx: ScheduleContext, draft: ScheduleDraft): Promise<CheckedDraft> {
  if (draft.config_preset === undefined) return checkDraft(ctx, draft)
  const { config_preset: _preset, preset_version: _version, ...rest } = draft
  return checkDraft(ctx, { ...rest, inputs: (await configureInputs(ctx, draft)).inputs })
}
