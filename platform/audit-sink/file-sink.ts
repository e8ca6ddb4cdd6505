import { type ChainHead, chainRecord } from '#core/audit/chain.ts'
import type { AuditDraft, AuditRecord, AuditSink } from '#core/audit/types.ts'
import { DomainError } from '#core/errors.ts'
import type { Log } from '#core/log.ts'
import { type LateWriteJudge, openLogFile } from './log-file.ts'
import { nodeSinkFs, type SinkFs } from './sink-fs.ts'
import { sha256 } from './verify-range.ts'
import { acquireWriterLock, type WriterClaim } from './writer-lock.ts'

const MAX_RECORDS_PER_FLUSH = 2048

export interface FileSinkOptions {
  path: string
  log: Pick<Log, 'warn' | 'error'>
  fs?: SinkFs
  /** How long to wait for another writer to leave; a killed one is succeeded after about three seconds. */
  lock_wait_ms?: number
  /** the lease by which this process writes; without one every other writer has to be waited for */
  claim?: WriterClaim
  /** whether bytes behind the end may be cut, because a writer before wrote them too late */
  isLateWrite?: LateWriteJudge
}

interface Waiter {
  drafts: AuditDraft[]
  resolve(records: AuditRecord[]): void
  reject(error: unknown): void
}

/**
 * The default audit sink: an append-only, hash-chained JSONL file with one writer. Appends that arrive while a flush is under
 * way share the next one (one write, one fdatasync). After a failure nothing is written before the file was opened anew, cut
 * back to the last acknowledged record and verified; the next append tries that.
 */
export const openFileSink = async (options: FileSinkOptions): Promise<AuditSink> => {
  const { path, log, fs = nodeSinkFs, lock_wait_ms = 5000, claim, isLateWrite } = options
  const lock = await acquireWriterLock(path, {
    wait_ms: lock_wait_ms,
    ...(claim && { claim }),
    onLost: (err) => log.error({ err, path }, 'lost the writer lock of the audit log'),
  })
  const file = await openLogFile({ path, fs, lock, log, ...(isLateWrite && { isLateWrite }) }).catch(async (error) => {
    await lock.release()
    throw error
  })

  let queue: Waiter[] = []
  let flushing: Promise<void> | undefined
  let failed = false
  let closed = false

  const drain = async (): Promise<void> => {
    while (queue.length > 0) {
      // One turn of the event loop: callers that the last flush has answered come back in time for the next one.
      await new Promise((resume) => setImmediate(resume))
      await flush(takeBatch())
    }
    flushing = undefined
  }

  const takeBatch = (): Waiter[] => {
    let count = 0
    const end = queue.findIndex((waiter, i) => {
      count += waiter.drafts.length
      return i > 0 && count > MAX_RECORDS_PER_FLUSH
    })
    const batch = end < 0 ? queue : queue.slice(0, end)
    queue = end < 0 ? [] : queue.slice(end)
    return batch
  }

  const flush = async (batch: Waiter[]): Promise<void> => {
    let chained: ReturnType<typeof chainBatch> | undefined
    try {
      chained = chainBatch(await file.ready(), batch)
      if (chained.text !== '') await file.write(Buffer.from(chained.text), chained.head)
      if (failed) log.warn({ path, seq: chained.head.seq }, 'audit sink recovered')
      failed = false
    } catch (cause) {
      if (!failed) log.error({ err: cause, path }, 'audit sink failed')
      failed = true
      const error = new DomainError('audit_unavailable', 'the audit log cannot be written', {}, { cause })
      // What came later goes too, or a caller that did not wait could find its second append in front of its first.
      for (const waiter of [...batch, ...queue.splice(0)]) waiter.reject(error)
      return
    }
    for (const { waiter, records } of chained.done) waiter.resolve(records)
  }

  return {
    append(drafts) {
      if (closed) return Promise.reject(new DomainError('audit_unavailable', 'the audit sink is closed'))
      return new Promise((resolve, reject) => {
        queue.push({ drafts, resolve, reject })
        flushing ??= drain()
      })
    },
    ready: () => file.recheck(),
    idsAfter: (seq, limit) => file.idsAfter(seq, limit),
    head: () => file.head(),
    healthy: () => !failed && !closed && lock.held(),
    async close() {
      closed = true
      await flushing
      try {
        await file.close()
      } finally {
        await lock.release()
      }
    },
  }
}

/** Chains what waits, in the order of arrival. A caller whose drafts cannot be written down is refused alone. */
const chainBatch = (from: ChainHead, batch: Waiter[]) => {
  let head = from
  let text = ''
  const done: { waiter: Waiter; records: AuditRecord[] }[] = []
  for (const waiter of batch) {
    try {
      let prev = head
      let lines = ''
      const records = waiter.drafts.map((draft) => {
        const { record, line } = chainRecord(prev, draft, sha256)
        prev = record
        lines += `${line}\n`
        return record
      })
      head = { seq: prev.seq, hash: prev.hash }
      text += lines
      done.push({ waiter, records })
    } catch (cause) {
      waiter.reject(new DomainError('internal', 'an audit draft has no canonical form', {}, { cause }))
    }
  }
  return { head, text, done }
}
