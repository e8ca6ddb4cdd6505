import type { AuditLine } from '#core/audit/line.ts'
import { type AuditProblem, problemIn, refusalOf } from '#core/audit/problem.ts'
import type { AuditSink } from '#core/audit/types.ts'
import { DomainError } from '#core/errors.ts'
import type { LogKeeper } from '#services/audit/log-keeper.ts'
import type { AuditOutbox } from '#store/audit-outbox.ts'
import { paced } from '#store/paced.ts'
import { AuditQueue } from './audit-queue.ts'

const BATCH = 500
const SWEEP_MS = 500
const FOLLOWER_POLL_MS = 5
const FOLLOWER_PATIENCE_MS = 5_000
/** followers wait for marks, so the first goes out at once */
const MARK_REST_MS = 30
const FIRST_RETRY_MS = 1_000
const LAST_RETRY_MS = 15_000
/** a long log that is written again does not hold up what only reads */
const START_PATIENCE_MS = 5_000

/** What this process is to the chain. */
type Standing =
  /** another process writes it, or nobody can yet */
  | { is: 'following' }
  /** the one writer; records up to `marked_to` are in the file and marked in the database */
  | { is: 'leading'; sink: AuditSink; marked_to: number }
  /** file and database do not agree: nothing is acknowledged; it is looked at again after `retry_at` */
  | { is: 'refused'; problem: AuditProblem; retry_at: number; wait_ms: number }

export interface SequencerOptions {
  outbox: AuditOutbox
  keeper: LogKeeper
  /** opens the sink when this process is, or becomes, the one writer; undefined while another one is */
  lead(onLost: () => void): Promise<AuditSink | undefined>
  log: { info(fields: object, message: string): void; error(fields: object, message: string): void }
}

/**
 * The single sequencer of the audit chain: rows leave the outbox in order, are chained and made durable in groups, and only
 * then are their authors answered. Several processes may run one; one leads, the others wait for its marks.
 */
export function createAuditSequencer({ outbox, keeper, lead, log }: SequencerOptions) {
  const queue = new AuditQueue(outbox, BATCH)
  let standing: Standing = { is: 'following' }
  let stopped = false
  let flushing: Promise<void> | undefined
  let again = false
  let sweep: ReturnType<typeof setTimeout> | undefined
  /** a write failed: what it left in the file is looked up before anything is repeated */
  let failing = false
  /** a problem that the database could not be told of: it is told before anything is written again */
  let unnoted: AuditProblem | undefined

  /** The sink to write to; undefined while another process leads, or the log is refused. */
  async function takeLead(): Promise<AuditSink | undefined> {
    if (standing.is === 'leading') return standing.sink
    if (standing.is === 'refused' && Date.now() < standing.retry_at) return undefined
    let lost = false
    let opened: AuditSink | undefined
    const taken = await lead(() => {
      lost = true
      // it may be lost while the file is still waited for
      if (opened === undefined) return
      if (standing.is === 'leading' && standing.sink === opened) standing = { is: 'following' }
      void letGo(opened)
    })
    if (taken === undefined || lost) {
      standing = { is: 'following' }
      if (taken !== undefined) await letGo(taken)
      return undefined
    }
    opened = taken
    try {
      if (unnoted !== undefined) await keeper.found(unnoted)
      unnoted = undefined
      const problem = await keeper.settle(opened)
      if (problem !== undefined) throw refusalOf(problem)
    } catch (error) {
      await opened.close()
      throw error
    }
    if (lost) return undefined
    const { seq } = opened.head()
    standing = { is: 'leading', sink: opened, marked_to: seq }
    failing = false
    // somebody else may have led in between
    queue.distrust()
    log.info({ head_seq: seq }, 'leading the audit chain')
    return opened
  }

  async function letGo(sink: AuditSink): Promise<void> {
    await sink.close().catch((error: unknown) => log.error({ error: String(error) }, 'the audit log was not closed'))
  }

  async function flush(): Promise<void> {
    const sink = await takeLead()
    if (sink === undefined) {
      // whoever waits here asks again, and is then answered by the leader's marks
      const why = 'another process writes the audit chain now'
      return queue.refuse(standing.is === 'refused' ? refusalOf(standing.problem) : unavailable(why))
    }
    if (failing) {
      const problem = await keeper.settle(sink)
      if (problem !== undefined) throw refusalOf(problem)
      failing = false
    }
    const rows = await queue.nextRows()
    if (rows.length === 0) return
    queue.chained(rows, await sink.append(rows.map((row) => row.draft)))
    marks.ask()
    if (rows.length >= BATCH) again = true
  }

  /** Marks lag behind the file by a moment; after a crash they are made up from it. */
  const marks = paced(async () => {
    try {
      const marked = await queue.mark()
      if (marked !== undefined && standing.is === 'leading') standing.marked_to = marked
    } catch (error) {
      log.error({ error: String(error) }, 'audit marks are late')
    }
  }, MARK_REST_MS)

  function kick(): void {
    if (flushing !== undefined) {
      again = true
      return
    }
    flushing = flush()
      .catch(failed)
      .finally(() => {
        flushing = undefined
        if (again && !stopped) {
          again = false
          kick()
        }
      })
  }

  async function failed(error: unknown): Promise<void> {
    const problem = problemIn(error)
    if (problem !== undefined) return await refuse(problem)
    if (!failing)
      log.error({ error: String(error) }, 'the audit chain cannot be written: nothing will act until it can')
    failing = true
    queue.refuse(unavailable(`the audit sink refused the record: ${String(error)}`))
  }

  /** Nothing is acknowledged from now on. What was wrong under a leader is looked at again at once: it may be healed by opening it anew. */
  async function refuse(problem: AuditProblem): Promise<void> {
    const before = standing
    const wait_ms = before.is === 'refused' ? Math.min(before.wait_ms * 2, LAST_RETRY_MS) : FIRST_RETRY_MS
    const retry_at = before.is === 'leading' ? 0 : Date.now() + wait_ms
    standing = { is: 'refused', problem, retry_at, wait_ms }
    queue.refuse(refusalOf(problem))
    if (before.is === 'leading') {
      // what was acknowledged last can be written again only if the database knows its place
      await queue.mark().catch(() => undefined)
      await before.sink.close()
    }
    queue.forget()
    const isNew = await keeper.found(problem).catch(() => {
      unnoted = problem
      return true
    })
    if (isNew) log.error({ kind: problem.kind, seq: problem.seq }, problem.detail)
  }

  async function followed(ids: number[]): Promise<void> {
    const patience = Date.now() + FOLLOWER_PATIENCE_MS
    while ((await outbox.unmarkedAmong(ids)).length > 0) {
      if (Date.now() > patience) throw unavailable('no process is writing the audit chain')
      await new Promise((resolve) => setTimeout(resolve, FOLLOWER_POLL_MS))
    }
  }

  function tick(): void {
    sweep = setTimeout(() => {
      kick()
      if (!stopped) tick()
    }, SWEEP_MS)
  }

  const line: AuditLine = {
    offer(drafts): void {
      if (standing.is !== 'leading' || drafts.length === 0) return
      queue.offer(drafts)
      kick()
    },
    async acknowledged(outboxIds): Promise<void> {
      if (standing.is === 'refused') throw refusalOf(standing.problem)
      if (standing.is === 'following') return await followed(outboxIds)
      const open = await queue.open(outboxIds)
      if (open.length === 0) return
      const answered = queue.wait(open)
      kick()
      await answered
    },
  }

  return {
    line,
    async start(): Promise<void> {
      kick()
      let timer: ReturnType<typeof setTimeout> | undefined
      const patience = new Promise((resolve) => {
        timer = setTimeout(resolve, START_PATIENCE_MS)
      })
      await Promise.race([flushing, patience])
      clearTimeout(timer)
      tick()
    },
    leading: () => standing.is === 'leading',
    healthy: () => (standing.is === 'leading' ? standing.sink.healthy() && !failing : standing.is === 'following'),
    /** what can be checked now: the sink that writes, and up to where its records are marked */
    checkable: () => (standing.is === 'leading' ? { sink: standing.sink, marked_to: standing.marked_to } : undefined),
    /** the log that this sink writes was found to be wrong */
    async distrust(sink: AuditSink, problem: AuditProblem): Promise<void> {
      if (standing.is !== 'leading' || standing.sink !== sink) return
      await refuse(problem)
      kick()
    },
    async stop(): Promise<void> {
      stopped = true
      clearTimeout(sweep)
      kick()
      await flushing
      await marks.close()
      if (standing.is === 'leading') await standing.sink.close()
      standing = { is: 'following' }
    },
  }
}

function unavailable(message: string): DomainError {
  return new DomainError('audit_unavailable', message)
}
