import type { AuditDraft } from '#core/audit/types.ts'
import { isoTime } from '#core/time.ts'
import type { ServiceContext } from '../context.ts'

/** The audit record of something that the caller does. */
export function auditBy(
  ctx: Pick<ServiceContext, 'actor' | 'attempt' | 'channel' | 'clock' | 'ids'>,
  what: Pick<AuditDraft, 'category' | 'action' | 'workspace_id' | 'subject' | 'data'>,
): AuditDraft {
  const { type, id, auth } = ctx.actor
  return {
    id: ctx.ids.next('audit'),
    ts: isoTime(ctx.clock()),
    ...what,
    actor: { type, id, auth },
    channel: ctx.channel,
    ...marked(ctx),
  }
}

/** Has what is done mark the `Idempotency-Key` of its request, in the same transaction. */
export function marked({ attempt }: Pick<ServiceContext, 'attempt'>): Pick<AuditDraft, 'attempt'> {
  return attempt === undefined ? {} : { attempt: { id: attempt.id, turn: attempt.turn } }
}
