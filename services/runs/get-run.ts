import type { z } from 'zod'
import { DomainError } from '#core/errors.ts'
import type { Run } from '#core/run/schema.ts'
import type { RunViews } from '#store/run-views.ts'
import { toRunRecord } from './run-record.ts'

/** The full record of a run. A foreign run is as unknown as one that never was. */
export async function getRun(
  ctx: { workspace_id: string; views: RunViews },
  runId: string,
): Promise<z.infer<typeof Run>> {
  const view = await ctx.views.find(ctx.workspace_id, runId)
  if (!view) throw new DomainError('not_found', `no run ${runId}`)
  return toRunRecord(view)
}
