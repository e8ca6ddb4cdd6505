import { type ChainHead, chainRecord } from '#core/audit/chain.ts'
import type { AuditDraft, AuditRecord, AuditSink } from '#core/audit/types.ts'
import { createBatcher, fitting, type Waiting } from '#core/batcher.ts'
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
  /** How long to wait for another writer to stop; a killed one is succeeded after about three seconds. */
  lock_wait_ms?: number
  /** the lease by which this process writes; without one every other writer has to be waited for */
  claim?: WriterClaim
  /** decides whether bytes behind the end may be cut, as a late write of an earlier writer */
  isLateWrite?: LateWriteJudge
}

type Append = Waiting<{ drafts: AuditDraft[] }, AuditRecord[]>

/**
 * The default audit sink: an append-only, hash-chained JSONL file with one writer. Appends during a flush share the next one (one write,
 * one fdatasync). After a failure nothing is written before the file was reopened, cut back to the last acknowledged record and verified;
 * the next append tries that.
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

  let failed = false
  let closed = false

  const flush = async (batch: Append[]): Promise<void> => {
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
      // Later appends fail too: a caller that did not wait could find its second append before its first.
      for (const append of [...batch, ...batcher.waiting.splice(0)]) append.fail(error)
      return
    }
    for (const { append, records } of chained.done) append.answer(records)
  }

  const batcher = createBatcher<{ drafts: AuditDraft[] }, AuditRecord[]>({
    count: (waiting) => fitting(waiting, MAX_RECORDS_PER_FLUSH, ({ drafts }) => drafts.length),
    // One turn of the event loop: callers of the last flush can join the next one.
    pause: () => new Promise((resume) => setImmediate(resume)),
    work: flush,
  })

  return {
    append(drafts) {
      if (closed) return Promise.reject(new DomainError('audit_unavailable', 'the audit sink is closed'))
      return batcher.ask({ drafts })
    },
    ready: () => file.recheck(),
    idsAfter: (seq, limit) => file.idsAfter(seq, limit),
    head: () => file.head(),
    healthy: () => !failed && !closed && lock.held(),
    async close() {
      closed = true
      await batcher.idle()
      try {
        await file.close()
      } finally {
        await lock.release()
      }
    },
  }
}

/** Chains the queue, in order of arrival. Only a caller whose drafts cannot be written is refused. */
const chainBatch = (from: ChainHead, batch: Append[]) => {
  let head = from
  let text = ''
  const done: { append: Append; records: AuditRecord[] }[] = []
  for (const append of batch) {
    try {
      let prev = head
      let lines = ''
      const records = append.drafts.map((draft) => {
        const { record, line } = chainRecord(prev, draft, sha256)
        prev = record
        lines += `${line}\n`
        return record
      })
      head = { seq: prev.seq, hash: prev.hash }
      text += lines
      done.push({ append, records })
    } catch (cause) {
      append.fail(new DomainError('internal', 'an audit draft has no canonical form', {}, { cause }))
    }
  }
  return { head, text, done }
}
