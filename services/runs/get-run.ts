import type { z } from 'zod'
import { DomainError } from '#core/errors.ts'
import type { Run } from '#core/run/schema.ts'
import { isoTime } from '#core/time.ts'
import type { RunAlerts, RunViews } from '#store/run-views.ts'
import { toRunRecord } from './run-record.ts'

type RunRecord = z.infer<typeof Run>

/** The full record of a run. A foreign run is as unknown as one that never was. */
export async function getRun(ctx: { workspace_id: string; views: RunViews }, runId: string): Promise<RunRecord> {
  const view = await ctx.views.find(ctx.workspace_id, runId)
  if (!view) throw new DomainError('not_found', `no run ${runId}`)
  return { ...toRunRecord(view), ...(view.trigger !== null && { trigger: toTrigger(view.trigger) }) }
}

function toTrigger({ alert, members, members_cut }: RunAlerts): NonNullable<RunRecord['trigger']> {
  return {
    alert,
    members: members.map(({ member, status, received_at, updated_at, alert: state }) => ({
      ...state,
      member,
      status,
      received_at: isoTime(Date.parse(received_at)),
      updated_at: isoTime(Date.parse(updated_at)),
    })),
    members_cut,
  }
}
