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
  isLateWrite?: LateWriteJudge
}

/** Tells whether these bytes behind the record `head` are a late write of an earlier writer. */
export type LateWriteJudge = (bytes: Buffer, head: ChainHead) => Promise<boolean>

/** A log whose acknowledged end is known: `write` is durable when it resolves, and leaves nothing behind when it rejects. */
export interface LogFile {
  /** Makes the log writable again after a failure; answers its head. */
  ready(): Promise<ChainHead>
  /** The same, with a check for appends of others. Not during a write. */
  recheck(): Promise<ChainHead>
  write(bytes: Buffer, head: ChainHead): Promise<void>
  idsAfter(seq: number, limit?: number): Promise<{ id: string; seq: number; hash: string }[]>
  head(): ChainHead
  close(): Promise<void>
}

/** Opens a log, verifies its tail and cuts off the unfinished record of a crash. */
export const openLogFile = async ({ path, fs, lock, log, isLateWrite }: LogFileOptions): Promise<LogFile> => {
  let file: SinkFile | undefined
  let head: ChainHead
  let size: number
  /** Bytes whose write or fsync failed: they were acknowledged to no caller, so they may be removed. */
  let unacknowledged: Uint8Array = new Uint8Array()
  /** The lock was lost since the last acknowledged write: another writer may have appended. */
  let overtaken = false
  let reopening: Promise<SinkFile> | undefined

  /** A successor may have written since: a late write is not part of the log, and was not acknowledged. */
  const cutLateWrite = async (opened: SinkFile, late: Buffer, end: number, after: ChainHead): Promise<boolean> => {
    if (late.length === 0 || (await isLateWrite?.(late, after)) !== true) return false
    await fs.keepAside(`${path}.late`, late)
    await opened.truncate(end)
    await opened.datasync()
    log.warn({ path, bytes: late.length, after_seq: after.seq }, 'cut what a writer before wrote too late')
    return true
  }

  const adopt = async (opened: SinkFile, found: Verification): Promise<void> => {
    if (found.broken) {
      const rest = await readRest(opened, found.end)
      const isCut = rest !== undefined && (await cutLateWrite(opened, rest, found.end, found.head))
      if (!isCut) throw auditRefusal(brokenRecord(found.broken))
    }
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

  /** Removes the remains of the failed write. After a failed fsync the cache may differ from the disk. */
  const cutUnacknowledged = async (opened: SinkFile, total: number): Promise<void> => {
    if (total < size) throw disturbed(`it holds ${total} bytes where ${size} were acknowledged`)
    if (total === size) return
    const rest = await readRest(opened, size)
    // A block that never reached the disk may read as zeros.
    const ours =
      (rest?.length ?? 0) <= unacknowledged.length && rest?.every((b, i) => b === unacknowledged[i] || b === 0)
    if (rest !== undefined && ours !== true && (await cutLateWrite(opened, without(rest, unacknowledged), size, head)))
      return
    if (ours !== true) throw disturbed('something else wrote to it')
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
      // Another writer may have continued our bytes while it had the lock: then the file counts.
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

    async recheck() {
      if (file !== undefined && file.sizeAtPath() > size) {
        await file.close()
        file = undefined
      }
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

/** A late write is never longer than a writer's largest write. */
const MAX_LATE_BYTES = 64 * 1024 * 1024

const readRest = async (opened: SinkFile, from: number): Promise<Buffer | undefined> => {
  const length = (await opened.size()) - from
  if (length > MAX_LATE_BYTES) return undefined
  const rest = Buffer.alloc(Math.max(0, length))
  for (let done = 0; done < rest.length; ) {
    const read = await opened.readAt(rest.subarray(done), from + done)
    if (read === 0) return rest.subarray(0, done)
    done += read
  }
  return rest
}

/** Returns what others wrote around our own bytes. */
const without = (rest: Buffer, own: Uint8Array): Buffer => {
  const at = own.length === 0 ? -1 : rest.indexOf(own)
  return at < 0 ? rest : Buffer.concat([rest.subarray(0, at), rest.subarray(at + own.length)])
}

const isMissing = (cause: unknown): boolean => cause instanceof Error && 'code' in cause && cause.code === 'ENOENT'

const unavailable = (path: string, reason: string): DomainError =>
  new DomainError('audit_unavailable', `audit log ${path}: ${reason}`)
