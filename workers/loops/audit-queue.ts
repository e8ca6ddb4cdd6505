import type { ChainHead } from '#core/audit/chain.ts'
import type { QueuedDraft } from '#core/audit/types.ts'
import type { LeaseToken } from '#core/lease/lease.ts'
import type { AuditOutbox, OutboxRow } from '#store/audit/audit-outbox.ts'

interface Waiter {
  left: Set<number>
  resolve(): void
  reject(error: unknown): void
}

/** The leader's memory between outbox and file: rows to write, rows whose mark is being stored, and waiting callers. */
export class AuditQueue {
  readonly #outbox: AuditOutbox
  readonly #batch: number
  /** rows from this process, which are known to be in the queue */
  readonly #handed = new Set<number>()
  /** rows of the chain whose mark is being stored */
  readonly #chained = new Map<number, ChainHead>()
  readonly #waiters = new Set<Waiter>()

  constructor(outbox: AuditOutbox, batch: number) {
    this.#outbox = outbox
    this.#batch = batch
  }

  offer(drafts: QueuedDraft[]): void {
    for (const { outbox_id } of drafts) this.#handed.add(outbox_id)
  }

  /** Returns those of these rows that are not known to be in the chain. */
  async open(ids: number[]): Promise<number[]> {
    const open = ids.filter((id) => !this.#chained.has(id))
    if (open.every((id) => this.#handed.has(id))) return open
    return (await this.#outbox.unmarkedAmong(open)).filter((id) => !this.#chained.has(id))
  }

  wait(ids: number[]): Promise<void> {
    return new Promise((resolve, reject) => this.#waiters.add({ left: new Set(ids), resolve, reject }))
  }

  /**
   * Reads the queue, also for rows of this process: a row that was committed before them may have any number, and comes first. Chained rows
   * are left out, so that late marks hold nothing up; they are collected before the read, because a mark may arrive, and be deleted here,
   * during it. Any other known or awaited row that is missing there was chained before: its authors are answered.
   */
  async nextRows(): Promise<OutboxRow[]> {
    const done = new Set(this.#chained.keys())
    const asked = new Set([...this.#handed.keys(), ...[...this.#waiters].flatMap((waiter) => [...waiter.left])])
    const waiting = await this.#outbox.waiting(this.#batch, [...done])
    const present = new Set(waiting.map((row) => row.id))
    const settled = [...asked].filter((id) => done.has(id) || (waiting.length < this.#batch && !present.has(id)))
    for (const id of settled) this.#handed.delete(id)
    this.#answer(settled)
    return waiting
  }

  /** These rows are durable in the chain, in this order. */
  chained(rows: OutboxRow[], records: ChainHead[]): void {
    rows.forEach((row, index) => {
      const record = records[index]
      if (record !== undefined) this.#chained.set(row.id, { seq: record.seq, hash: record.hash })
      this.#handed.delete(row.id)
    })
    this.#answer(rows.map((row) => row.id))
  }

  /** Marks chained rows in the database; returns the last marked place. */
  async mark(token: LeaseToken): Promise<number | undefined> {
    const places = [...this.#chained].map(([id, place]) => ({ id, ...place }))
    if (places.length === 0) return undefined
    await this.#outbox.mark(places, token)
    for (const { id } of places) this.#chained.delete(id)
    return Math.max(...places.map(({ seq }) => seq))
  }

  /** The file is in doubt: rows in it without a mark have to be looked up. */
  forget(): void {
    this.#chained.clear()
  }

  /** Tells everybody who waits that it is not certain. */
  refuse(error: unknown): void {
    for (const waiter of this.#waiters) waiter.reject(error)
    this.#waiters.clear()
    this.#handed.clear()
  }

  #answer(ids: number[]): void {
    for (const waiter of this.#waiters) {
      for (const id of ids) waiter.left.delete(id)
      if (waiter.left.size === 0) {
        this.#waiters.delete(waiter)
        waiter.resolve()
      }
    }
  }
}
