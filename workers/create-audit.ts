import { join } from 'node:path'
import type { Ids } from '#core/id.ts'
import type { Clock } from '#core/time/time.ts'
import { openFileSink } from '#platform/audit-sink/file-sink.ts'
import { LOG_START, type LogPlace, readSlice } from '#platform/audit-sink/read-slice.ts'
import type { Config } from '#platform/config.ts'
import type { Logger } from '#platform/logger.ts'
import { sha256 } from '#platform/sha256.ts'
import { createLogCheck } from '#services/audit/log-check.ts'
import { createLogKeeper, type LogKeeper } from '#services/audit/log-keeper.ts'
import { createAuditFile } from '#store/audit/audit-file.ts'
import { createAuditOutbox } from '#store/audit/audit-outbox.ts'
import type { Db } from '#store/db.ts'
import type { Leases } from '#store/leases.ts'
import { createAuditCheck } from './loops/audit-check.ts'
import { type ChainLease, createAuditSequencer } from './loops/audit-sequencer.ts'

/** Half a megabyte a second: 100,000 records are read again in about two minutes, for less than a hundredth of a core. */
const SLICE_BYTES = 256 * 1024
/** at once, before a log that was refused is written again */
const WHOLE_BYTES = 4 * 1024 * 1024

interface AuditOptions {
  config: Config
  db: Db
  leases: Leases
  ids: Ids
  clock: Clock
  log: Logger
}

/** Makes the writer of the audit chain, and the check that runs beside it. */
export function createAudit({ config, db, leases, ids, clock, log }: AuditOptions) {
  const path = join(config.home, 'audit.jsonl')
  const outbox = createAuditOutbox(db)
  const file = createAuditFile(db)
  const checkOf = (bytes: number) => {
    const read = (from: LogPlace, to_seq: number) => readSlice(path, from, bytes, to_seq)
    return createLogCheck({ read, start: LOG_START, outbox })
  }
  const keeper = createLogKeeper({ outbox, file, check: checkOf(WHOLE_BYTES), sha256, ids, clock })
  const lead = (onLost: () => void) => leadAudit({ leases, path, log, isLateWrite: keeper.isLateWrite }, onLost)
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

interface LeadParts {
  leases: Leases
  path: string
  log: Pick<Logger, 'warn' | 'error'>
  isLateWrite: LogKeeper['isLateWrite']
}

/** The chain has one writer: the holder of the lease, who then also locks the file. */
export async function leadAudit(
  { leases, path, log, isLateWrite }: LeadParts,
  onLost: () => void,
): Promise<ChainLease | undefined> {
  const lease = await leases.take('audit', onLost)
  if (lease === undefined) return undefined
  const { token, held } = lease
  return {
    ...lease,
    open: async () =>
      await openFileSink({
        path,
        log,
        claim: { domain: await leases.domain(), epoch: token.epoch, held },
        isLateWrite: (bytes, head) => isLateWrite(bytes, head, token),
      }),
  }
}
