import type { Suppressed } from '#core/trigger/alert.ts'
import type { ServiceContext } from '../context.ts'
import { recordRefusals } from '../refusals/record-refusals.ts'

/** Records and publishes that a tool sent an unknown transition: once for each tool and word while it repeats. */
export async function reportUnknown(ctx: ServiceContext, suppressed: readonly Suppressed[]): Promise<void> {
  const { channel, request_id, workspace_id } = ctx
  await recordRefusals(
    ctx,
    suppressed.flatMap(({ unknown, detail }) =>
      unknown === undefined
        ? []
        : [
            {
              kind: 'unknown_transition',
              apart: [workspace_id, unknown.word],
              once: true as const,
              draft: {
                category: 'trigger' as const,
                action: 'alert.not_understood',
                workspace_id,
                // from any sender: each word of a tool is reported once
                actor: { type: 'system' as const, id: 'svc', auth: 'none' as const },
                channel,
                request_id,
                subject: { type: 'alert_source', id: unknown.source },
                data: { source: unknown.source, transition: unknown.word, reason: detail },
              },
            },
          ],
    ),
  )
}
