import { isoTime } from '#core/time.ts'
import type { ClaimedRow } from '#store/inbox.ts'
import type { IntakeContext } from '../service-deps.ts'
import type { Inbox } from './inbox-route.ts'

/** Sets a delivery aside that has ended every process which worked on it, so that what waits behind it is processed. */
export async function setAsideDelivery(
  { clock, ids }: Pick<IntakeContext, 'clock' | 'ids'>,
  { items }: Pick<Inbox, 'items'>,
  row: ClaimedRow,
): Promise<void> {
  const { id, workspace_id, route, body_digest, processes_ended } = row
  const message = `${processes_ended} processes ended while they worked on this delivery, so it is not tried again by itself. Fix the rule, the template or the sender, then replay it; the mode simulate shows what would happen.`
  await items.setAside(
    row,
    { code: 'process_ended', message },
    {
      id: ids.next('audit'),
      ts: isoTime(clock()),
      category: 'trigger',
      action: 'inbox.set_aside',
      workspace_id,
      actor: { type: 'system', id: 'svc', auth: 'none' },
      channel: 'system',
      subject: { type: 'delivery', id },
      data: { route, body_digest, processes_ended, reason: message },
    },
  )
}
