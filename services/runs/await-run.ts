import { DomainError, isTransient } from '#core/errors.ts'
import type { EventHub } from './watch-events.ts'

/** The end of a wait. `parked`: a gate has opened, and needs a person. */
export type AwaitedRun = 'ended' | 'parked' | 'timeout' | 'gone'

export interface RunWait {
  workspace_id: string
  run_id: string
  timeout_ms: number
  /** the caller has left */
  signal: AbortSignal
}

/**
 * Waits for the end of a run, or for its next gate, on the events of the hub. `gone` when the caller left, the server closes, or the
 * workspace has no stream to spare: the run continues either way.
 */
export async function awaitRun(hub: EventHub, wait: RunWait): Promise<AwaitedRun> {
  let resolve: (outcome: AwaitedRun) => void = () => {}
  const over = new Promise<AwaitedRun>((settle) => {
    resolve = settle
  })
  const leave = () => resolve('gone')
  const timer = setTimeout(() => resolve('timeout'), wait.timeout_ms)
  wait.signal.addEventListener('abort', leave)
  if (wait.signal.aborted) leave()
  let stop = () => {}
  try {
    stop = await hub.watch(
      { workspace_id: wait.workspace_id, run_id: wait.run_id, after_seq: 0 },
      {
        write(event) {
          if (event.type === 'gate.opened') resolve('parked')
        },
        hasRoom: () => true,
        drained: () => Promise.resolve(),
        end: (reason) => resolve(reason === 'terminal' ? 'ended' : 'gone'),
      },
    )
    return await over
  } catch (error) {
    // the run has begun: a failure to watch it is no failure of the request
    if (error instanceof DomainError && isTransient(error.code)) return 'gone'
    throw error
  } finally {
    clearTimeout(timer)
    wait.signal.removeEventListener('abort', leave)
    stop()
  }
}
