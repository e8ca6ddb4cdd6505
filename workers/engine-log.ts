import { DefaultLogger } from '@temporalio/worker'
import { RUN_FAILED } from '#core/contract.ts'
import type { Log } from '#core/log.ts'

/** Logs messages of the Temporal SDK as warnings. A failed run is in its record, and is no fault of a worker. */
export function createEngineLog(log: Pick<Log, 'warn'>): DefaultLogger {
  return new DefaultLogger('WARN', ({ level, message, meta }) => {
    const { error } = (meta ?? {}) as { error?: { type?: unknown } }
    if (error?.type !== RUN_FAILED) log.warn({ sdk_level: level, ...meta }, message)
  })
}
