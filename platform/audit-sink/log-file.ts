import type { ChainHead } from '#core/audit/chain.ts'
import { auditRefusal, brokenRecord, disturbedLog } from '#core/audit/problem.ts'
import { DomainError } from '#core/errors.ts'
import type { Log } from '#core/log.ts'
import type { SinkFile, SinkFs } from './sink-fs.ts'
import { idsAfter, verifyTail } from './tail.ts'
import { type Verification, verifyRange } from './verify-range.ts'
import type { WriterLock } from './writer-lock.ts'

interface LogFileOptions {
  path: string
  fs: SinkFs
  lock: WriterLock
  log: Pick<Log, 'warn' | 'error'>
}

/** A log whose acknowledged end is known: `write` is durable when it resolves, and leaves nothing behind when it rejects. */
export interface LogFile {
  /** Makes the log writable again after a failure; answers its head. */
  ready(): Promise<ChainHead>
  write(bytes: Buffer, head: ChainHead): Promise<void>
  idsAfter(seq: number, limit?: number): Promise<{ id: string; seq: number; hash: string }[]>
  head(): ChainHead
  close(): Promise<void>
}

/** Opens a log, verifies its tail and cuts off what a crash left of an unfinished record. */
export const openLogFile = async ({ path, fs, lock, log }: LogFileOptions): Promise<LogFile> => {
  let file: SinkFile | undefined
  let head: ChainHead
  let size: number
  /** Bytes whose write or fsync failed: nobody was told that they are in the log, so they may go. */
  let unacknowledged: Uint8Array = new Uint8Array()
  /** The lock was lost since the last acknowledged write: another writer may have appended. */
  let overtaken = false
  let reopening: Promise<SinkFile> | undefined

  const adopt = async (opened: SinkFile, found: Verification): Promise<void> => {
    if (found.broken) throw auditRefusal(brokenRecord(found.broken))
    if (found.torn_tail) {
      await fs.keepAside(`${path}.torn`, found.torn_tail)
      await opened.truncate(found.end)
      await opened.datasync()
      log.warn({ path, bytes: found.torn_tail.length, after_seq: found.head.seq }, 'cut an unfinished audit record')
    }
    head = found.head
    size = found.end
  }

  const disturbed = (what: string, options?: ErrorOptions) => auditRefusal(disturbedLog(head.seq, what), options)

  /** Removes what the failed write left. After a failed fsync the cache may claim what the disk does not hold. */
  const cutUnacknowledged = async (opened: SinkFile, total: number): Promise<void> => {
    if (total < size) throw disturbed(`it holds ${total} bytes where ${size} were acknowledged`)
    if (total === size) return
    const rest = Buffer.alloc(Math.min(total - size, unacknowledged.length))
    await opened.readAt(rest, size)
    // A block that never reached the disk may read as zeros.
    const ours = rest.every((byte, i) => byte === unacknowledged[i] || byte === 0)
    if (total - size > unacknowledged.length || !ours) throw disturbed('something else wrote to it')
    await opened.truncate(size)
    await opened.datasync()
  }

  const reopen = async (): Promise<SinkFile> => {
    overtaken ||= !lock.held()
    if (!lock.held()) await lock.retake()
    const opened = await fs.open(path, { create: false }).catch((cause: unknown) => {
      throw isMissing(cause) ? disturbed('it is gone', { cause }) : cause
    })
    try {
      const total = await opened.size()
      // Another writer may have built on our bytes while it had the lock: then what stands in the file counts.
      if (!overtaken) await cutUnacknowledged(opened, total)
      const tail = await verifyTail(opened.readAt, size)
      if (tail.broken || tail.head.hash !== head.hash || tail.end !== size) {
        throw disturbed(`it no longer ends in record ${head.seq}, which was acknowledged`)
      }
      if (overtaken) await adopt(opened, await verifyRange(opened.readAt, { from: size, to: total, prev: head }))
    } catch (error) {
      await opened.close().catch(() => {})
      throw error
    }
    unacknowledged = new Uint8Array()
    overtaken = false
    log.warn({ path, seq: head.seq }, 'audit log reopened and verified')
    return opened
  }

  const requireIntact = (current: SinkFile, expected: number): void => {
    if (!lock.held()) throw unavailable(path, 'the writer lock was lost')
    if (current.sizeAtPath() !== expected) throw unavailable(path, 'something else wrote to it, moved it or removed it')
  }

  const ready = async (): Promise<SinkFile> => {
    if (file) return file
    reopening ??= reopen().finally(() => {
      reopening = undefined
    })
    file = await reopening
    return file
  }

  const opened = await fs.open(path, { create: true })
  try {
    await adopt(opened, await verifyTail(opened.readAt, await opened.size()))
  } catch (error) {
    await opened.close()
    throw error
  }
  file = opened

  return {
    async ready() {
      await ready()
      return head
    },

    async write(bytes, next) {
      const current = await ready()
      try {
        requireIntact(current, size)
        unacknowledged = bytes
        for (let done = 0; done < bytes.length; ) {
          const written = current.append(bytes.subarray(done))
          if (written === 0) throw unavailable(path, 'the device takes no more bytes')
          done += written
        }
        await current.datasync()
        requireIntact(current, size + bytes.length)
      } catch (error) {
        file = undefined
        await current.close().catch(() => {})
        throw error
      }
      unacknowledged = new Uint8Array()
      size += bytes.length
      head = next
    },

    async idsAfter(seq, limit) {
      const current = await ready()
      return idsAfter(current.readAt, size, seq, limit)
    },

    head: () => head,

    async close() {
      await file?.close()
      file = undefined
    },
  }
}

const isMissing = (cause: unknown): boolean => cause instanceof Error && 'code' in cause && cause.code === 'ENOENT'

const unavailable = (path: string, reason: string): DomainError =>
  new DomainError('audit_unavailable', `audit log ${path}: ${reason}`)
