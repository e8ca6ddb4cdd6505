import { BY_TEMPORAL } from '#core/gate/attribute.ts'
import type { PipelineSnapshot } from '#core/pipeline/snapshot.ts'
import { isoTime } from '#core/time/time.ts'
import type { AdvanceDeps } from './ports.ts'

const REASON = 'cancelled in Temporal'

/** Cancels a pipeline whose workflow was cancelled in Temporal itself. Access to the engine is enough to stop it; the author is unknown. */
export async function cancelledInTemporal(
  { services, pipelines }: AdvanceDeps,
  { id, workspace_id }: Pick<PipelineSnapshot, 'id' | 'workspace_id'>,
): Promise<void> {
  const { type, by, channel } = BY_TEMPORAL
  await pipelines.cancel({
    id,
    cancel: { reason: REASON, by, at: isoTime(services.clock()), asserted: true },
    events: [
      { key: 'pipeline/cancelling', type: 'pipeline.cancelling', actor: { type, id: by }, data: { reason: REASON } },
    ],
    audit: [
      {
        id: services.ids.next('audit'),
        ts: isoTime(services.clock()),
        category: 'approval',
        action: 'pipeline.cancel_requested',
        workspace_id,
        actor: { type, id: by, auth: 'none' },
        channel,
        subject: { type: 'pipeline', id },
        data: { reason: REASON, asserted: true },
      },
    ],
  })
}
