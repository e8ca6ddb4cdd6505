import { condition, defineUpdate, proxyActivities, setHandler } from '@temporalio/workflow'

export { runV2 } from '#workflows/index.ts'

export interface RawActivities {
  noop(payload: string): Promise<{ echo: string }>
  mark(id: string): Promise<void>
}

const { noop, mark } = proxyActivities<RawActivities>({
  startToCloseTimeout: '60s',
  heartbeatTimeout: '4s',
  retry: { initialInterval: '250ms', backoffCoefficient: 2, maximumInterval: '10s' },
})

/** What one would write by hand, without any governance: the same three steps, one activity each. */
export async function rawSteps(payload: string): Promise<{ echo: string }> {
  await noop(payload)
  await noop(payload)
  return await noop(payload)
}

export const go = defineUpdate<boolean>('go')

/** A hand-written approval: an Update, then the next activity. */
export async function rawGate(id: string): Promise<void> {
  let approved = false
  setHandler(go, () => {
    approved = true
    return true
  })
  await condition(() => approved, '1h')
  await mark(id)
}
