import { randomUUID } from 'node:crypto'
import { statSync } from 'node:fs'
import { link, mkdir, open, readFile, realpath, rename, stat, unlink } from 'node:fs/promises'
import { hostname } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { DomainError } from '#core/errors.ts'

/** A watched lock without a change for this long belongs to a dead writer. */
const STALE_MS = 3_000
const HEARTBEAT_MS = 1_000
const RETRY_MS = 100

/** The right to append to a log. `held` turns false when the lock was lost, for example because another writer took it. */
export interface WriterLock {
  held(): boolean
  /** Takes a lost lock again; rejects while another writer holds it. */
  retake(): Promise<void>
  release(): Promise<void>
}

/** A writer's right to lead, besides the file: a lease of one database, whose epoch is higher than that of every earlier holder. */
export interface WriterClaim {
  /** names the database */
  domain: string
  epoch: number
  /** false once the lease may have another holder */
  held(): boolean
}

interface WriterLockOptions {
  wait_ms: number
  claim?: WriterClaim
  onLost: (cause: Error) => void
}

/**
 * Takes the writer lock of a log, the file `<path>.lock`. A holder of a later epoch of the same lease replaces the file at once. Any other
 * writer watches it for `STALE_MS` of its own monotonic clock: the clocks of two machines are never compared. Replacing the file takes the
 * lock from the previous holder, who looks for its own file before every write.
 */
export const acquireWriterLock = async (path: string, options: WriterLockOptions): Promise<WriterLock> => {
  const { wait_ms, claim, onLost } = options
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  // Two spellings of one directory must meet at one lock.
  const target = `${join(await realpath(dirname(path)), basename(path))}.lock`
  let mine: OwnFile | undefined
  let beat: ReturnType<typeof setInterval> | undefined
  const watch = createWatch()

  const lose = (cause: Error): void => {
    clearInterval(beat)
    void mine?.close()
    mine = undefined
    onLost(cause)
  }
  const held = (): boolean => {
    if (mine === undefined || claim?.held() === false) return false
    if (mine.isHeld()) return true
    lose(new Error(`${target} is no longer the lock of this process`))
    return false
  }
  const take = async (timeout_ms: number): Promise<void> => {
    if (claim?.held() === false) throw refused(path)
    clearInterval(beat)
    await mine?.close()
    mine = await takeFile(target, timeout_ms, { claim, watch }).catch((cause: unknown) => {
      throw refused(path, cause)
    })
    if (mine === undefined) throw refused(path)
    beat = setInterval(() => {
      // a failed beat looks stale to others, who then take the lock visibly
      if (held()) void mine?.beat().catch(() => undefined)
    }, HEARTBEAT_MS)
    beat.unref()
  }

  await take(wait_ms)
  return {
    held,
    retake: () => take(0),
    async release() {
      clearInterval(beat)
      const leave = mine
      mine = undefined
      if (leave?.isHeld() === true) await unlink(target).catch(() => undefined)
      await leave?.close()
    },
  }
}

interface OwnFile {
  isHeld(): boolean
  beat(): Promise<void>
  close(): Promise<void>
}

/** Undefined when another writer is there, and stays. */
const takeFile = async (
  target: string,
  timeout_ms: number,
  { claim, watch }: { claim: WriterClaim | undefined; watch: (seen: string) => number },
): Promise<OwnFile | undefined> => {
  const own = `${target}.${randomUUID()}`
  const handle = await open(own, 'wx', 0o600)
  let taken = false
  try {
    const { dev, ino } = await handle.stat()
    const isHeld = (): boolean => {
      const found = statSync(target, { throwIfNoEntry: false })
      return found !== undefined && found.ino === ino && found.dev === dev
    }
    let beats = 0
    const beat = async (): Promise<void> => {
      const note = { host: hostname(), pid: process.pid, domain: claim?.domain, epoch: claim?.epoch, beats: ++beats }
      await handle.write(`${JSON.stringify(note)}\n`, 0)
    }
    await beat()
    for (const end = performance.now() + timeout_ms; ; ) {
      await replaceUnlessHeld(own, target, (seen) => isBefore(seen, claim) || watch(seen) >= STALE_MS)
      taken = isHeld()
      if (taken) return { isHeld, beat, close: () => handle.close() }
      if (performance.now() >= end) return undefined
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
    }
  } finally {
    if (!taken) await handle.close()
    await unlink(own).catch(unless('ENOENT'))
  }
}

const replaceUnlessHeld = async (own: string, target: string, isOver: (seen: string) => boolean): Promise<void> => {
  const found = await stat(target).catch(unless('ENOENT'))
  if (found === undefined) return await link(own, target).catch(unless('EEXIST'))
  const seen = await readFile(target, 'utf8').catch(unless('ENOENT'))
  if (seen !== undefined && isOver(`${found.ino} ${seen}`)) await rename(own, target)
}

/** Measures how long a value has been the same, by the monotonic clock. */
const createWatch = () => {
  let last: string | undefined
  let since = 0
  return (seen: string): number => {
    if (seen !== last) since = performance.now()
    last = seen
    return performance.now() - since
  }
}

/** Tells whether the claim is a later epoch of the lease that this lock was taken with. */
const isBefore = (seen: string, claim: WriterClaim | undefined): boolean => {
  const domain = /"domain":"([^"]*)"/.exec(seen)?.[1]
  const epoch = /"epoch":(\d+)/.exec(seen)?.[1]
  return claim !== undefined && domain === claim.domain && epoch !== undefined && Number(epoch) < claim.epoch
}

const unless =
  (...codes: string[]) =>
  (error: unknown): undefined => {
    if (error instanceof Error && 'code' in error && codes.includes(String(error.code))) return undefined
    throw error
  }

const refused = (path: string, cause?: unknown): DomainError =>
  new DomainError('audit_unavailable', `another process writes ${path}, or its lock cannot be taken`, {}, { cause })
