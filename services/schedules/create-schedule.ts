import { DomainError } from '#core/errors.ts'
import { nextFires } from '#core/schedule/next-fires.ts'
import type { CreatedSchedule, ScheduleDraft } from '#core/schedule/schema.ts'
import { isoTime } from '#core/time.ts'
import { checkDraft } from './check-draft.ts'
import { forecastPolicies } from './forecast-policies.ts'
import { syncNow } from './put-in-engine.ts'
import type { ScheduleContext } from './schedule-ports.ts'
import { scheduleAudit, toScheduleRecord } from './schedule-record.ts'

/** Makes a schedule of the caller's workspace. Throws `invalid_schedule`, `validation_failed`, or `conflict` for a name that is taken. */
export async function createSchedule(ctx: ScheduleContext, draft: ScheduleDraft): Promise<CreatedSchedule> {
  const checked = checkDraft(ctx, draft)
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
      inputs: checked.inputs,
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
  if (row === undefined) throw new DomainError('conflict', `There is a schedule ${name} already.`)
  const now = ctx.clock()
  const [synced, policy_forecast] = await Promise.all([syncNow(ctx, row), forecastPolicies(ctx, checked)])
  return {
    ...toScheduleRecord(synced, now),
    next_fires: nextFires(checked.rule, now, 10).map(isoTime),
    policy_forecast,
  }
}
