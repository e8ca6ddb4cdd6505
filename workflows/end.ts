import { proxyActivities } from '@temporalio/workflow'
import type { ActionActivities, EndInput, EndResult } from '#core/action-contract.ts'

/** How a run ended is worth telling for a day. */
const WITHIN = '24h'
const retry = { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '5m' } as const
const { planEnd } = proxyActivities<ActionActivities>({ startToCloseTimeout: '10s', retry })
const { announceEnd } = proxyActivities<ActionActivities>({
  startToCloseTimeout: '30s',
  scheduleToCloseTimeout: WITHIN,
  retry,
})

/** Tells how a run ended, each recipient by a delivery of their own: a channel that is away holds up none of the others. */
export async function endV1(input: EndInput): Promise<EndResult> {
  const notices = await planEnd(input)
  const reached = await Promise.all(
    notices.map(async ({ notice_id, channel }) => {
      try {
        const options = { summary: `ended → ${channel}` }
        return (await announceEnd.executeWithOptions(options, [{ ...input, notice_id }])).status === 'delivered'
      } catch {
        // nobody could be reached in all that time: the record says so
        return false
      }
    }),
  )
  return { delivered: reached.filter(Boolean).length }
}
