import { proxyActivities, sleep } from '@temporalio/workflow'
import { type ActionActivities, type EndInput, type EndResult, NOTICE_RETRY } from '#core/action-contract.ts'
import { isResultOf } from '#core/activity-results.ts'

/** The end of a run is news for a day. */
const WITHIN = '24h'
const retry = {
  initialInterval: NOTICE_RETRY.first_ms,
  backoffCoefficient: NOTICE_RETRY.factor,
  maximumInterval: NOTICE_RETRY.most_ms,
}
const { planEnd } = proxyActivities<ActionActivities>({ startToCloseTimeout: '10s', retry })
const { announceEnd } = proxyActivities<ActionActivities>({
  startToCloseTimeout: '30s',
  scheduleToCloseTimeout: WITHIN,
  retry,
})

/** Tells how a run ended, each recipient by a delivery of their own: a channel that is away holds up none of the others. */
export async function endV1(input: EndInput): Promise<EndResult> {
  let notices = await planEnd(input)
  // the result did not come from our worker: ask the record again
  while (!isResultOf.planEnd(notices)) {
    await sleep(NOTICE_RETRY.first_ms)
    notices = await planEnd(input)
  }
  const reached = await Promise.all(
    notices.map(async ({ notice_id, channel }) => {
      try {
        const options = { summary: `ended → ${channel}` }
        return (await announceEnd.executeWithOptions(options, [{ ...input, notice_id }])).status === 'delivered'
      } catch {
        // the channel was unavailable all that time: the record tells
        return false
      }
    }),
  )
  return { delivered: reached.filter(Boolean).length }
}
