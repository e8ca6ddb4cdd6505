import { isTerminal, type RunStatus } from '#core/run/status.ts'
import { PATIENCE } from './patience.ts'
import type { RunBody } from './recovery.ts'
import type { TestService } from './service.ts'

const WITHIN_MS = PATIENCE.timeout
const AGAIN_MS = 100

/** Ends parked runs, every other one by approval and the rest by cancelling; repeats itself while a worker or the API is away. */
export async function closeRuns(service: Pick<TestService, 'call'>, ids: readonly string[]): Promise<void> {
  await Promise.all(ids.map((id, index) => closeRun(service, id, index % 2 === 0 ? 'approve' : 'cancel')))
}

async function closeRun(service: Pick<TestService, 'call'>, id: string, how: 'approve' | 'cancel'): Promise<void> {
  const deadline = Date.now() + WITHIN_MS
  const quietly = (sent: ReturnType<typeof service.call>) => sent.catch(() => undefined)
  for (let taken = false; ; ) {
    if (!taken) {
      const path = how === 'approve' ? 'resume' : 'cancel'
      const body = how === 'approve' ? { decision: 'approve' } : { reason: 'the storm is over' }
      const answer = await quietly(service.call('POST', `/runs/${id}/${path}`, body))
      taken = answer !== undefined && answer.status < 300
    }
    const run = await service.call<RunBody>('GET', `/runs/${id}`).catch(() => undefined)
    if (run !== undefined && isTerminal(run.body.status as RunStatus)) return
    if (Date.now() > deadline) throw new Error(`${id} did not end: ${JSON.stringify(run?.body)}`)
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS))
  }
}
