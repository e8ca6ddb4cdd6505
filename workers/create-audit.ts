import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { Ids } from '#core/id.ts'
import { openFileSink } from '#platform/audit-sink/file-sink.ts'
import { LOG_START, type LogPlace, readSlice } from '#platform/audit-sink/read-slice.ts'
import type { Config } from '#platform/config.ts'
import type { Logger } from '#platform/logger.ts'
import { createLogCheck } from '#services/audit/log-check.ts'
import { createLogKeeper } from '#services/audit/log-keeper.ts'
import { createAuditFile } from '#store/audit-file.ts'
import { createAuditOutbox } from '#store/audit-outbox.ts'
import type { Db } from '#store/db.ts'
import { tryLease } from '#store/lock.ts'
import { createAuditCheck } from './loops/audit-check.ts'
import { createAuditSequencer } from './loops/audit-sequencer.ts'

/** Half a megabyte a second: 100,000 records are read again in about two minutes, for less than a hundredth of a core. */
const SLICE_BYTES = 256 * 1024
/** at once, before a log that was refused is written again */
const WHOLE_BYTES = 4 * 1024 * 1024

interface AuditOptions {
  config: Config & { databaseUrl: string }
  db: Db
  ids: Ids
  log: Logger
}

/** The writer of the audit chain, and the check that runs beside it. */
export function createAudit({ config, db, ids, log }: AuditOptions) {
  const path = join(config.home, 'audit.jsonl')
  const outbox = createAuditOutbox(db)
  const file = createAuditFile(db)
  const checkOf = (bytes: number) => {
    const read = (from: LogPlace, to_seq: number) => readSlice(path, from, bytes, to_seq)
    return createLogCheck({ read, start: LOG_START, outbox })
  }
  const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
  const keeper = createLogKeeper({ outbox, file, check: checkOf(WHOLE_BYTES), sha256, ids, clock: Date.now })
  const lead = (onLost: () => void) => leadAudit(config.databaseUrl, path, log, onLost)
  const sequencer = createAuditSequencer({ outbox, keeper, lead, log })
  const check = createAuditCheck({
    check: checkOf(SLICE_BYTES),
    checkable: sequencer.checkable,
    onProblem: sequencer.distrust,
    onPassed: file.passed,
    log,
  })
  return {
    sequencer,
    async start(): Promise<void> {
      await sequencer.start()
      check.start()
    },
    async stop(): Promise<void> {
      await check.stop()
      await sequencer.stop()
    },
  }
}

/** The chain has one writer: the holder of the database's lock, which then also locks the file. */
async function leadAudit(databaseUrl: string, path: string, log: Logger, onLost: () => void) {
  const lease = await tryLease(databaseUrl, 'audit', onLost)
  if (lease === undefined) return undefined
  try {
    const sink = await openFileSink({ path, log })
    const close = async () => {
      await sink.close()
      await lease.release()
    }
    return { ...sink, close }
  } catch (error) {
    await lease.release()
    throw error
  }
}
