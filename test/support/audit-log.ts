import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { AuditDraft, AuditSink, QueuedDraft } from '#core/audit/types.ts'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { LOG_START, readSlice } from '#platform/audit-sink/read-slice.ts'
import { holderName } from '#platform/ids.ts'
import { createLogger } from '#platform/logger.ts'
import { createLogCheck } from '#services/audit/log-check.ts'
import { createLogKeeper } from '#services/audit/log-keeper.ts'
import { createAuditFile } from '#store/audit/audit-file.ts'
import { type AuditOutbox, createAuditOutbox } from '#store/audit/audit-outbox.ts'
import { createLeases } from '#store/leases.ts'
import { createRunStore } from '#store/runs/runs.ts'
import { leadAudit } from '#workers/create-audit.ts'
import { createAuditCheck } from '#workers/loops/audit-check.ts'
import { createAuditSequencer } from '#workers/loops/audit-sequencer.ts'
import type { TestDatabase } from './database.ts'
import { ids } from './run-drafts.ts'

const log = createLogger({ level: 'silent', name: 'test' })

interface TestLogOptions {
  /** in the place of the real one */
  outbox?: Partial<AuditOutbox>
  wrap?: (sink: AuditSink) => AuditSink
  slice_bytes?: number
  /** called when the file is open, before the one who asked knows; `lose` says that the lease is gone */
  opened?: (lose: () => void) => void
  onError?: (message: string) => void
  onWarning?: (message: string) => void
}

/** A sequencer on a database and a directory, with its running check at a test's pace. */
export function createTestLog(database: TestDatabase, home: string, options: TestLogOptions = {}) {
  const path = join(home, 'audit.jsonl')
  const leases = createLeases(database.owner_url, holderName())
  const outbox = { ...createAuditOutbox(database.db), ...options.outbox }
  const file = createAuditFile(database.db)
  const newCheck = () =>
    createLogCheck({
      read: (from, to_seq) => readSlice(path, from, options.slice_bytes ?? 4_096, to_seq),
      start: LOG_START,
      outbox,
    })
  const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
  const keeper = createLogKeeper({ outbox, file, check: newCheck(), sha256, ids, clock: Date.now })
  const sequencer = createAuditSequencer({
    outbox,
    keeper,
    log: {
      info: () => undefined,
      warn: (_fields, message) => options.onWarning?.(message),
      error: (_fields, message) => options.onError?.(message),
    },
    lead: async (onLost) => {
      let lost = false
      const lose = () => {
        lost = true
        onLost()
      }
      const lease = await leadAudit({ leases, path, log, isLateWrite: keeper.isLateWrite }, lose)
      return (
        lease && {
          ...lease,
          held: () => !lost && lease.held(),
          async open() {
            const sink = await lease.open()
            options.opened?.(lose)
            return (options.wrap ?? ((each) => each))(sink)
          },
        }
      )
    },
  })
  const check = createAuditCheck({
    check: newCheck(),
    checkable: sequencer.checkable,
    onProblem: sequencer.distrust,
    onPassed: file.passed,
    log,
    slice_every_ms: 2,
    rest_ms: 5,
  })
  return {
    ...sequencer,
    async stop() {
      await sequencer.stop()
      await leases.close()
    },
    check,
    file,
    outbox,
    path,
  }
}

export type TestLog = ReturnType<typeof createTestLog>

export const testDraft = (n: number): AuditDraft => ({
  id: ids.next('audit'),
  ts: '2026-01-01T00:00:00.000Z',
  category: 'lineage',
  action: 'test.written',
  workspace_id: DEFAULT_WORKSPACE_ID,
  actor: { type: 'system', id: 'test', auth: 'none' },
  subject: { type: 'test', id: String(n) },
  data: { n },
})

/** Commits drafts, as a transaction of the service does. */
export async function lineUp(database: TestDatabase, drafts: AuditDraft[]): Promise<QueuedDraft[]> {
  const places = await createRunStore(database.db).appendAudit(drafts)
  return drafts.flatMap((each) => {
    const place = places.find((entry) => entry.draft_id === each.id)
    return place === undefined ? [] : [{ outbox_id: place.outbox_id, draft: each }]
  })
}

/** As an activity does: hands over what it has committed, then waits for it. */
export async function acknowledge({ line }: Pick<TestLog, 'line'>, drafts: QueuedDraft[]): Promise<void> {
  line.offer(drafts)
  await line.acknowledged(drafts.map((each) => each.outbox_id))
}
