import type { AuditLine, LinedUp } from '#core/audit/line.ts'
import type { AuditSink } from '#core/audit/types.ts'
import { DomainError } from '#core/errors.ts'
import type { AuditOutbox, OutboxRow } from '#store/audit-outbox.ts'
import { paced } from '#store/paced.ts'

const BATCH = 500
const SWEEP_MS = 500
const FOLLOWER_POLL_MS = 5
const FOLLOWER_PATIENCE_MS = 5_000
const UNKNOWN = -1
/** followers wait for marks, so the first goes out at once */
const MARK_REST_MS = 30

interface Waiter {
  left: Set<number>
  resolve(): void
  reject(error: unknown): void
}

export interface SequencerOptions {
  outbox: AuditOutbox
  /** opens the sink when this process is, or becomes, the one writer; undefined while another one is */
  lead(onLost: () => void): Promise<AuditSink | undefined>
  log: { info(fields: object, message: string): void; error(fields: object, message: string): void }
}

/**
 * The single sequencer of the audit chain: rows leave the outbox in order, are chained and made durable in groups, and only
 * then are their authors answered. Several processes may run one; one leads, the others wait for its marks.
 */
export function createAuditSequencer({ outbox, lead, log }: SequencerOptions) {
  let sink: AuditSink | undefined
  let stopped = false
  let flushing: Promise<void> | undefined
  let again = false
  let sweep: ReturnType<typeof setTimeout> | undefined
  let failing = false
  /** rows handed over by this process, which need not be read back */
  const handed = new Map<number, OutboxRow>()
  /** rows that stand in the chain while their mark is on its way */
  const chained = new Map<number, { seq: number; hash: string }>()
  const waiters = new Set<Waiter>()
  /** the last row of the line that was taken out of it, as long as nothing before it can have been left behind */
  let contiguousTo = UNKNOWN
  /** a write failed: what it left in the file is looked up before anything is repeated */
  let doubtful = false

  async function takeLead(): Promise<void> {
    const opened = await lead(() => {
      sink = undefined
      void opened?.close()
    })
    if (opened === undefined) return
    await recover(opened)
    sink = opened
    // somebody else may have led in between: the line is read before anything of it is taken for new
    contiguousTo = UNKNOWN
    log.info({ head_seq: opened.head().seq }, 'leading the audit chain')
  }

  /** Marks what a lost leader had chained without noting it, so that nothing is chained twice. */
  async function recover(opened: AuditSink): Promise<void> {
    const known = await opened.idsAfter(await outbox.lastMarked())
    const byDraft = new Map(known.map((entry) => [entry.id, entry]))
    if (byDraft.size === 0) return
    for (let rows = await outbox.waiting(10_000); ; ) {
      const places = rows.flatMap((row) => {
        const place = byDraft.get(row.draft.id)
        return place === undefined ? [] : [{ id: row.id, seq: place.seq, hash: place.hash }]
      })
      if (places.length === 0) return
      await outbox.mark(places)
      rows = await outbox.waiting(10_000)
    }
  }

  function kick(): void {
    if (flushing !== undefined) {
      again = true
      return
    }
    flushing = flush()
      .then(() => {
        failing = false
      })
      .catch((error: unknown) => {
        if (!failing)
          log.error({ error: String(error) }, 'the audit chain cannot be written: nothing will act until it can')
        failing = true
        for (const waiter of waiters)
          waiter.reject(new DomainError('audit_unavailable', `the audit sink refused the record: ${String(error)}`))
        waiters.clear()
        handed.clear()
        contiguousTo = UNKNOWN
        doubtful = true
      })
      .finally(() => {
        flushing = undefined
        if (again && !stopped) {
          again = false
          kick()
        }
      })
  }

  async function flush(): Promise<void> {
    if (sink === undefined) {
      await takeLead()
      if (sink === undefined) return leave()
    }
    if (doubtful) {
      await recover(sink)
      doubtful = false
    }
    const rows = await nextRows()
    if (rows.length === 0) return
    const records = await sink.append(rows.map((row) => row.draft))
    rows.forEach((row, index) => {
      const record = records[index]
      if (record !== undefined) chained.set(row.id, { seq: record.seq, hash: record.hash })
      handed.delete(row.id)
    })
    answer(rows.map((row) => row.id))
    marks.ask()
    if (rows.length >= BATCH) again = true
  }

  /** Another process leads: whoever waits here asks again, and is then answered by its marks. */
  function leave(): void {
    for (const waiter of waiters)
      waiter.reject(new DomainError('audit_unavailable', 'another process writes the audit chain now'))
    waiters.clear()
    handed.clear()
  }

  /** Rows of this process follow one another without a gap more often than not; only a gap asks the database. */
  async function nextRows(): Promise<OutboxRow[]> {
    const own = [...handed.values()].sort((a, b) => a.id - b.id)
    const first = own[0]
    const last = own.at(-1)
    const gapless =
      first !== undefined &&
      last !== undefined &&
      first.id === contiguousTo + 1 &&
      last.id - first.id + 1 === own.length
    const rows = gapless ? own : await waitingRows(own)
    contiguousTo = Math.max(contiguousTo, rows.at(-1)?.id ?? 0)
    return rows
  }

  /**
   * Reads the line. What was handed over or is waited for, and no longer stands in it, has been chained before: its authors are
   * answered. What was chained is noted before the read, because its mark may arrive, and be forgotten here, during it.
   */
  async function waitingRows(own: OutboxRow[]): Promise<OutboxRow[]> {
    const done = new Set(chained.keys())
    const asked = new Set([...own.map((row) => row.id), ...[...waiters].flatMap((waiter) => [...waiter.left])])
    const waiting = await outbox.waiting(BATCH)
    const present = new Set(waiting.map((row) => row.id))
    const settled = [...asked].filter((id) => done.has(id) || (waiting.length < BATCH && !present.has(id)))
    for (const id of settled) handed.delete(id)
    answer(settled)
    return waiting.filter((row) => !done.has(row.id))
  }

  function answer(ids: number[]): void {
    for (const waiter of waiters) {
      for (const id of ids) waiter.left.delete(id)
      if (waiter.left.size === 0) {
        waiters.delete(waiter)
        waiter.resolve()
      }
    }
  }

  /** Marks lag behind the file by a moment; after a crash they are made up from it. */
  const marks = paced(async () => {
    const places = [...chained].map(([id, place]) => ({ id, ...place }))
    if (places.length === 0) return
    try {
      await outbox.mark(places)
      for (const { id } of places) chained.delete(id)
    } catch (error) {
      log.error({ error: String(error) }, 'audit marks are late')
    }
  }, MARK_REST_MS)

  async function followed(ids: number[]): Promise<void> {
    const patience = Date.now() + FOLLOWER_PATIENCE_MS
    while ((await outbox.unmarkedAmong(ids)).length > 0) {
      if (Date.now() > patience) throw new DomainError('audit_unavailable', 'no process is writing the audit chain')
      await new Promise((resolve) => setTimeout(resolve, FOLLOWER_POLL_MS))
    }
  }

  function own(ids: number[]): Promise<void> {
    if (ids.length === 0) return Promise.resolve()
    return new Promise((resolve, reject) => {
      waiters.add({ left: new Set(ids), resolve, reject })
      kick()
    })
  }

  function tick(): void {
    sweep = setTimeout(() => {
      kick()
      if (!stopped) tick()
    }, SWEEP_MS)
  }

  const line: AuditLine = {
    offer(drafts: LinedUp[]): void {
      if (sink === undefined || drafts.length === 0) return
      for (const { outbox_id, draft } of drafts) handed.set(outbox_id, { id: outbox_id, draft })
      kick()
    },
    async acknowledged(outboxIds: number[]): Promise<void> {
      if (sink === undefined) return await followed(outboxIds)
      const open = outboxIds.filter((id) => !chained.has(id))
      const handedOver = open.every((id) => handed.has(id))
      await own(handedOver ? open : (await outbox.unmarkedAmong(open)).filter((id) => !chained.has(id)))
    },
  }

  return {
    line,
    async start(): Promise<void> {
      await takeLead().catch((error: unknown) => log.error({ error: String(error) }, 'the audit sink cannot be opened'))
      tick()
    },
    leading: () => sink !== undefined,
    healthy: () => (sink === undefined ? true : sink.healthy() && !failing),
    async stop(): Promise<void> {
      stopped = true
      clearTimeout(sweep)
      kick()
      await flushing
      await marks.close()
      await sink?.close()
      sink = undefined
    },
  }
}
