import type { Log } from '#core/log.ts'
import type { ModelCallStore } from '#store/models/model-calls.ts'

/** The running attempts of this process. They are renewed while it lives; an attempt without renewal is charged whole. */
export interface ModelLeases {
  hold(id: string): void
  drop(id: string): void
  /** as `drop`, when the database did not take how it ended: an error names it, and the sweep charges it whole */
  lose(id: string, error: unknown): void
  close(): void
}

export interface ModelLeaseOptions {
  calls: Pick<ModelCallStore, 'renew'>
  log: Pick<Log, 'warn' | 'error'>
  /** 10,000: a third of a lease */
  every_ms?: number
}

export function createModelLeases({ calls, log, every_ms = 10_000 }: ModelLeaseOptions): ModelLeases {
  const held = new Set<string>()
  const timer = setInterval(() => {
    if (held.size === 0) return
    calls.renew([...held]).catch((err: unknown) => log.warn({ err }, 'leases of model calls were not renewed'))
  }, every_ms)
  timer.unref()
  return {
    hold: (id) => void held.add(id),
    drop: (id) => void held.delete(id),
    lose(id, err) {
      held.delete(id)
      log.error(
        { err, model_call: id },
        'how a call of a model ended was not written down: a worker charges all that it reserved',
      )
    },
    close: () => clearInterval(timer),
  }
}
