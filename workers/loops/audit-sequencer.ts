import { type AuditProblem, auditRefusal, problemIn } from '#core/audit/problem.ts'
import type { AuditLine, AuditSink } from '#core/audit/types.ts'
import { follower, isHealthy, mayLead, nextWriter, type WriterEvent } from '#core/audit/writer-state.ts'
import { DomainError } from '#core/errors.ts'
import type { LeaseToken } from '#core/lease/lease.ts'
import type { Log } from '#core/log.ts'
import { within } from '#platform/within.ts'
import type { LogKeeper } from '#services/audit/log-keeper.ts'
import type { AuditOutbox } from '#store/audit/audit-outbox.ts'
import { paced } from '#store/sql/paced.ts'
import { AuditQueue } from './audit-queue.ts'

const BATCH = 500
const SWEEP_MS = 500
const FOLLOWER_POLL_MS = 5
const FOLLOWER_TIMEOUT_MS = 5_000
/** followers wait for marks, so the first is sent at once */
const MARK_REST_MS = 30
/** rewriting a long log does not delay readers */
const START_PATIENCE_MS = 5_000
/** Before the log is refused it is compared once more. */
const COMPARED_AGAIN_MS = 200

export interface SequencerOptions {
  outbox: AuditOutbox
  keeper: LogKeeper
  /** takes the lease of the one writer; undefined while another process has it */
  lead(onLost: () => void): Promise<ChainLease | undefined>
  log: Pick<Log, 'info' | 'warn' | 'error'>
}

/** The right to write the chain. */
export interface ChainLease {
  token: LeaseToken
  held(): boolean
  /** opens the log, which is to be closed before the lease is released */
  open(): Promise<AuditSink>
  release(): Promise<void>
}

/** A log that is open, and the lease by which it is written. */
export type LedSink = AuditSink & { lease: ChainLease }

/**
 * The single sequencer of the audit chain: rows leave the outbox in order, are chained and made durable in groups, and only
 * then are their authors answered. Several processes may run one; one leads, the others wait for its marks.
 */
export function createAuditSequencer({ outbox, keeper, lead, log }: SequencerOptions) {
  const queue = new AuditQueue(outbox, BATCH)
  let state = follower<LedSink>()
  let stopped = false
  let flushing: Promise<void> | undefined
  let again = false
  let sweep: ReturnType<typeof setTimeout> | undefined
  const note = (event: WriterEvent<LedSink>): void => {
    state = nextWriter(state, event)
  }

  /** The sink to write to; undefined while another process leads, or the log is refused. */
  async function takeLead(): Promise<LedSink | undefined> {
    if (state.leadership.is === 'leading') return state.leadership.sink
    if (!mayLead(state, performance.now())) return undefined
    let opened: LedSink | undefined
    const lease = await lead(() => {
      // it may be lost while the file is still waited for
      if (opened === undefined) return
      note({ type: 'lost', sink: opened })
      void letGo(opened)
    })
    if (lease === undefined) {
      note({ type: 'follows' })
      return undefined
    }
    let sink: LedSink
    try {
      // rows that this process chained under an earlier lease may have been written by others since
      queue.forget()
      if (state.unnoted !== undefined) await keeper.found(state.unnoted, lease.token)
      note({ type: 'noted' })
      sink = await openSettled(lease)
    } catch (error) {
      const problem = problemIn(error)
      if (problem !== undefined && lease.held()) await noteProblem(problem, lease.token)
      await lease.release()
      throw error
    }
    if (!lease.held()) {
      note({ type: 'follows' })
      await letGo(sink)
      return undefined
    }
    opened = sink
    const { seq } = opened.head()
    if (state.failing) sayRecovered()
    note({ type: 'leads', sink: opened, seq })
    log.info({ head_seq: seq, epoch: lease.token.epoch }, 'leading the audit chain')
    return opened
  }

  /** Opens the log and reconciles it with the database. */
  async function openSettled(lease: ChainLease): Promise<LedSink> {
    return await twice(lease, async () => {
      const sink = { ...(await lease.open()), lease }
      try {
        await settle(sink)
        return sink
      } catch (error) {
        await closeLog(sink)
        throw error
      }
    })
  }

  async function settle(sink: LedSink): Promise<void> {
    const problem = await keeper.settle(sink, sink.lease.token)
    if (problem !== undefined) throw auditRefusal(problem)
  }

  /** A finding that stops every effect has to be made twice, under one lease. */
  async function twice<Result>(lease: ChainLease, compare: () => Promise<Result>): Promise<Result> {
    try {
      return await compare()
    } catch (error) {
      if (problemIn(error) === undefined) throw error
      await new Promise((resolve) => setTimeout(resolve, COMPARED_AGAIN_MS))
      if (!lease.held()) throw unavailable('another process writes the audit chain now')
      return await compare()
    }
  }

  /** As loud as the failure was. */
  function sayRecovered(): void {
    log.warn({}, 'the audit chain is written again')
  }

  async function closeLog(sink: AuditSink): Promise<void> {
    await sink.close().catch((error: unknown) => log.error({ err: error }, 'the audit log was not closed'))
  }

  async function letGo(sink: LedSink): Promise<void> {
    await closeLog(sink)
    await sink.lease.release()
  }

  async function flush(): Promise<void> {
    const sink = await takeLead()
    if (sink === undefined) {
      // waiting callers ask again, and are then answered by the leader's marks
      const why = 'another process writes the audit chain now'
      return queue.refuse(state.leadership.is === 'refused' ? auditRefusal(state.leadership.problem) : unavailable(why))
    }
    if (state.failing) {
      await twice(sink.lease, () => settle(sink))
      sayRecovered()
      note({ type: 'settled' })
    }
    const rows = await queue.nextRows()
    if (rows.length === 0) {
      // a writer before may have written too late
      await sink.ready()
      return
    }
    queue.chained(rows, await sink.append(rows.map((row) => row.draft)))
    marks.ask()
    if (rows.length >= BATCH) again = true
  }

  /** Marks lag behind the file by a moment; after a crash they are made up from it. */
  const marks = paced(async () => {
    const { leadership } = state
    if (leadership.is !== 'leading') return
    try {
      const marked = await queue.mark(leadership.sink.lease.token)
      if (marked !== undefined) note({ type: 'marked', seq: marked })
    } catch (error) {
      log.error({ err: error }, 'audit marks are late')
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
    if (!state.failing) log.error({ err: error }, 'the audit chain cannot be written: nothing will act until it can')
    note({ type: 'failed' })
    queue.refuse(unavailable('the audit log takes no records'))
  }

  /** Nothing is acknowledged from now on. */
  async function refuse(problem: AuditProblem): Promise<void> {
    const before = state.leadership
    note({ type: 'refused', problem, now: performance.now() })
    queue.refuse(auditRefusal(problem))
    if (before.is === 'leading') {
      const { lease } = before.sink
      // the last acknowledged record can be written again only if the database knows its place
      await queue.mark(lease.token).catch(() => undefined)
      if (lease.held()) await noteProblem(problem, lease.token)
      await letGo(before.sink)
    }
    queue.forget()
  }

  async function noteProblem(problem: AuditProblem, token: LeaseToken): Promise<void> {
    const isNew = await keeper.found(problem, token).catch(() => {
      note({ type: 'unnoted', problem })
      return true
    })
    if (isNew) log.error({ kind: problem.kind, seq: problem.seq }, problem.detail)
  }

  async function followed(ids: number[]): Promise<void> {
    const deadline = performance.now() + FOLLOWER_TIMEOUT_MS
    while ((await outbox.unmarkedAmong(ids)).length > 0) {
      if (performance.now() > deadline) throw unavailable('no process is writing the audit chain')
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
      if (state.leadership.is !== 'leading' || drafts.length === 0) return
      queue.offer(drafts)
      kick()
    },
    async acknowledged(outboxIds): Promise<void> {
      if (state.leadership.is === 'refused') throw auditRefusal(state.leadership.problem)
      if (state.leadership.is === 'following') return await followed(outboxIds)
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
      if (flushing !== undefined) await within(START_PATIENCE_MS, flushing, () => undefined)
      tick()
    },
    leading: () => state.leadership.is === 'leading' && state.leadership.sink.lease.held(),
    healthy: () => isHealthy(state, (sink) => sink.healthy()),
    /** the checkable part: the sink that writes, and the end of its marked records */
    checkable: () =>
      state.leadership.is === 'leading'
        ? { sink: state.leadership.sink, marked_to: state.leadership.marked_to }
        : undefined,
    /** the log that this sink writes was found to be wrong */
    async distrust(sink: LedSink, problem: AuditProblem): Promise<void> {
      if (state.leadership.is !== 'leading' || state.leadership.sink !== sink) return
      await refuse(problem)
      kick()
    },
    async stop(): Promise<void> {
      stopped = true
      clearTimeout(sweep)
      kick()
      await flushing
      await marks.close()
      if (state.leadership.is === 'leading') await letGo(state.leadership.sink)
      note({ type: 'follows' })
    },
  }
}

function unavailable(message: string): DomainError {
  return new DomainError('audit_unavailable', message)
}
