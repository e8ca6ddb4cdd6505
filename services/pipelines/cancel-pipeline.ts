import { DomainError } from '#core/errors.ts'
import { isoTime } from '#core/time/time.ts'
import { auditBy } from '../audit/read-audit.ts'
import { humanRoot, type ServiceContext } from '../context.ts'
import { defineVerb } from '../define-verb.ts'
import { getPipelineView } from './pipelines.ts'
import type { PipelinePorts } from './ports.ts'

/**
 * Cancels a pipeline: no more steps begin, its runs are cancelled, and what they have done is compensated where its steps define that.
 * `run_terminal` for one that has ended; a repeat is harmless.
 */
export const cancelPipeline = defineVerb(
  { role: 'operator', access: 'write', scope: 'workspace' },
  async (
    ctx: ServiceContext & PipelinePorts,
    { pipeline_id: id, reason }: { pipeline_id: string; reason?: string },
  ): Promise<void> => {
    await getPipelineView(ctx, id)
    if (ctx.attempt?.done !== undefined) return
    const { id: by, display, type } = ctx.actor
    const data = reason === undefined ? {} : { reason }
    const refused = await ctx.pipelines.store.cancel({
      id,
      // the canceller requests the compensations, and so do the people behind them
      cancel: { by, at: isoTime(ctx.clock()), reason: reason ?? null, human_root: humanRoot(ctx) },
      events: [{ key: 'pipeline/cancelling', type: 'pipeline.cancelling', actor: { type, id: by, display }, data }],
      audit: [
        auditBy(ctx, {
          category: 'approval',
          action: 'pipeline.cancel_requested',
          workspace_id: ctx.workspace_id,
          subject: { type: 'pipeline', id },
          data,
        }),
      ],
    })
    if (refused !== undefined && refused !== 'cancelling')
      throw new DomainError('run_terminal', `the pipeline is ${refused}`, { pipeline_id: id })
    ctx.notifyRun(id)
  },
)
