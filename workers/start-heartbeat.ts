import { LANES } from '#core/contract.ts'
import type { Logger } from '#platform/logger.ts'
import type { Db } from '#store/db.ts'
import { createWorkerHeartbeats } from '#store/worker-heartbeats.ts'
import type { createAudit } from './create-audit.ts'

const BEAT_MS = 2_000

/** Says every two seconds that this worker lives; resolves after the first time. */
export async function startHeartbeat({
  db,
  worker_id,
  sequencer,
  log,
}: {
  db: Db
  worker_id: string
  sequencer: Pick<ReturnType<typeof createAudit>['sequencer'], 'leading' | 'healthy'>
  log: Logger
}) {
  const heartbeats = createWorkerHeartbeats(db)
  const beat = () =>
    heartbeats
      .beat({
        worker_id,
        lanes: [...LANES],
        audit_leader: sequencer.leading(),
        audit_ok: sequencer.healthy(),
      })
      .catch((error: unknown) => log.warn({ err: error }, 'the heartbeat was not written'))
  await beat()
  const beating = setInterval(beat, BEAT_MS)
  return { stop: () => clearInterval(beating), leave: () => heartbeats.leave(worker_id) }
}
