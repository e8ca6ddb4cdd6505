import { DefaultLogger } from '@temporalio/worker'
import { RUN_FAILED_MESSAGE } from '#core/contract.ts'
import type { Log } from '#core/log.ts'

/** Logs messages of the Temporal SDK as warnings. A failed run is in its record, and is no fault of a worker. */
export function createEngineLog(log: Pick<Log, 'warn'>): DefaultLogger {
  return new DefaultLogger('WARN', ({ level, message, meta }) => {
    const { error } = (meta ?? {}) as { error?: { message?: unknown } }
    const isRecorded = message === 'Workflow failed' && RUN_FAILED_MESSAGE.test(String(error?.message))
    if (!isRecorded) log.warn({ sdk_level: level, ...meta }, message)
  })
}
