import type { ErrorCode } from '#core/errors.ts'
import type { ServiceContext } from '../../context.ts'
import { type RefusalReport, recordRefusals } from '../../refusals/record-refusals.ts'

/** Reasons for refusing a link that we did sign. */
export type LinkRefusal = 'link_expired' | 'link_foreign' | 'link_not_sent' | 'link_forbidden'

/** A try that led to nothing is part of the record. */
export async function recordRefusal(
  ctx: Pick<ServiceContext, 'runs' | 'ids' | 'clock'>,
  refused: {
    code: ErrorCode | LinkRefusal
    why: string
    workspace_id: string
    gate_id: string
    jti: string
    recipient: string
    run_id?: string
  },
): Promise<void> {
  const { code, why, workspace_id, gate_id, jti, recipient, run_id } = refused
  const draft: RefusalReport['draft'] = {
    category: 'approval',
    action: 'link.refused',
    workspace_id,
    actor: { type: 'user', id: recipient, auth: 'magic_link' },
    channel: 'magic_link',
    ...(run_id !== undefined && { run_id }),
    subject: { type: 'gate', id: gate_id },
    data: { code, why, link: jti },
  }
  await recordRefusals(ctx, [{ kind: code, apart: [jti], draft }])
}
