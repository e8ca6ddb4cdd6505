import { randomUUID } from 'node:crypto'
import { ApplicationFailure, Context } from '@temporalio/activity'
import { NativeConnection, Worker } from '@temporalio/worker'
import { MAX_RESULT_BYTES } from '#core/remote-job/contract.ts'

interface Asked {
  do: 'ok' | 'wrong' | 'large' | 'fail' | 'lost' | 'slow'
  n?: number
}

/** What came of one attempt: its arguments, and how it was stopped. */
export interface Worked {
  run_id: string
  asked: Asked
  context: Record<string, unknown> | undefined
  cancelled: boolean
}

/** A Temporal worker of somebody who builds on the service: it knows nothing of it. */
export async function startOwnWorker({ address, namespace }: { address: string; namespace: string }) {
  const connection = await NativeConnection.connect({ address })
  const taskQueue = `own-${randomUUID()}`
  const worked: Worked[] = []
  const ending = new AbortController()
  const released = new Set<string>()

  async function slow(run_id: string): Promise<void> {
    for (let step = 1; !released.has(run_id) && !ending.signal.aborted; step += 1) {
      Context.current().heartbeat({ step, of: 'many', said: 'evil \u202e text' })
      // rejects when the activity is cancelled
      await Context.current().sleep(100)
    }
  }

  async function work(asked: Asked, context?: Record<string, unknown>): Promise<unknown> {
    const { activityId } = Context.current().info
    const one: Worked = { run_id: activityId.split(':')[0] ?? '', asked, context, cancelled: false }
    worked.push(one)
    switch (asked.do) {
      case 'ok':
        return { n: asked.n ?? 1 }
      case 'wrong':
        return { n: 'many' }
      case 'large':
        return { n: 1, pad: 'x'.repeat(MAX_RESULT_BYTES) }
      case 'fail':
        throw ApplicationFailure.nonRetryable('no device is free \u202e', 'NoDevice')
      case 'lost':
        // as a worker that is killed: nothing is heard of it any more
        if (worked.filter(({ run_id }) => run_id === one.run_id).length === 1)
          await new Promise((resolve) => ending.signal.addEventListener('abort', resolve, { once: true }))
        return { n: 2 }
      case 'slow':
        await slow(one.run_id).catch((error: unknown) => {
          one.cancelled = true
          throw error
        })
        return { n: 3 }
    }
  }

  const worker = await Worker.create({
    ...{ connection, namespace, taskQueue, activities: { work } },
    maxHeartbeatThrottleInterval: '200ms',
    defaultHeartbeatThrottleInterval: '200ms',
    shutdownGraceTime: 0,
  })
  const running = worker.run()
  return {
    taskQueue,
    of: (run_id: string) => worked.filter((one) => one.run_id === run_id),
    /** has the slow work of a run end */
    release: (run_id: string) => released.add(run_id),
    async stop(): Promise<void> {
      ending.abort()
      worker.shutdown()
      await running
      await connection.close()
    },
  }
}

export type OwnWorker = Awaited<ReturnType<typeof startOwnWorker>>
