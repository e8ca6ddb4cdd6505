import { proxyActivities, sleep } from '@temporalio/workflow'
import { type ActionActivities, type EndResult, type HaltInput, NOTICE_RETRY } from '#core/action-contract.ts'
import { isResultOf } from '#core/activity-results.ts'

/** A message about a halt is tried for a day. */
const WITHIN = '24h'
const retry = {
  initialInterval: NOTICE_RETRY.first_ms,
  backoffCoefficient: NOTICE_RETRY.factor,
  maximumInterval: NOTICE_RETRY.most_ms,
}
const { planHalt } = proxyActivities<ActionActivities>({ startToCloseTimeout: '10s', retry })
const { announceHalt } = proxyActivities<ActionActivities>({
  startToCloseTimeout: '30s',
  scheduleToCloseTimeout: WITHIN,
  retry,
})

/** Sends one message about a halt, to each recipient by itself: a channel that is away holds up none of the others. */
export async function haltV1(input: HaltInput): Promise<EndResult> {
  let notices = await planHalt(input)
  // the result did not come from our worker: ask the record again
  while (!isResultOf.planHalt(notices)) {
    await sleep(NOTICE_RETRY.first_ms)
    notices = await planHalt(input)
  }
  const reached = await Promise.all(
    notices.map(async ({ notice_id, kind, channel }) => {
      try {
        const options = { summary: `${kind} → ${channel}` }
        return (await announceHalt.executeWithOptions(options, [{ ...input, notice_id }])).status === 'delivered'
      } catch {
        // the channel was unavailable all that time: the record tells
        return false
      }
    }),
  )
  return { delivered: reached.filter(Boolean).length }
}
