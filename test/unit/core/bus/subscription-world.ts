import { expect } from 'vitest'
import { stepSubscription } from '#core/bus/step-subscription.ts'
import {
  type BusRow,
  type HandlingOutcome,
  NEW_SUBSCRIPTION,
  type SubscriptionCommand,
  type SubscriptionEvent,
  type SubscriptionState,
} from '#core/bus/subscription.ts'

type Command = Exclude<SubscriptionCommand, { do: 'wake' | 'end' }>

interface Process {
  state: SubscriptionState
  pending: Command[]
  held: boolean
  head: number
  looks: number
  redrive_at: number
  /** what was in doubt when it took the cursor */
  doubt: number
  /** the last message that it was given from the log */
  fetched: number
  outcome: HandlingOutcome | undefined
  /** as which holder it is counted, until it lets go */
  claimed: number | undefined
}

const PAGE = 3

/** A database, a log, and processes that run one subscriber. Whatever happens in it is checked against the promises at once. */
export class SubscriptionWorld {
  readonly wanted: boolean[] = []
  readonly done = new Set<number>()
  /** handed to the handler, and not known to have failed there */
  readonly begun = new Set<number>()
  readonly flagged = new Set<number>()
  readonly letters = new Map<number, boolean>()
  cursor: { last_id: number; reading_to: number; holder: number; claims: number } | undefined
  owner: Process | undefined
  now = 0
  readonly processes: Process[] = []

  constructor(processes: number) {
    for (let n = 0; n < processes; n += 1) this.start(n)
  }

  start(n: number): void {
    const state = NEW_SUBSCRIPTION
    const seen = {
      held: false,
      head: 0,
      looks: 0,
      redrive_at: 0,
      doubt: 0,
      fetched: 0,
      outcome: undefined,
      claimed: undefined,
    }
    const process: Process = { state, pending: [], ...seen }
    this.processes[n] = process
    this.#tell(process, { type: 'started' })
  }

  publish(wanted: boolean[], notified: boolean): void {
    const from = this.wanted.length + 1
    this.wanted.push(...wanted)
    for (const process of notified ? this.processes : []) {
      if (process.head !== from - 1) continue
      process.head = this.wanted.length
      const foreign = { from, to: process.head }
      this.#tell(process, { type: 'notified', ...(wanted.includes(true) ? {} : { foreign }) })
    }
  }

  refresh(n: number): void {
    const process = this.process(n)
    process.head = this.wanted.length
    process.looks += 1
    if ([...this.letters.values()].includes(true)) process.redrive_at = process.looks
    this.#tell(process, { type: 'notified' })
  }

  redrive(): void {
    for (const id of this.letters.keys()) this.letters.set(id, true)
  }

  close(n: number): void {
    this.#tell(this.process(n), { type: 'closed' })
  }

  /** The process is gone; what it had asked of the database may have been done. */
  crash(n: number, effect: boolean): void {
    const process = this.process(n)
    if (this.owner === process) this.owner = undefined
    for (const command of process.pending.splice(0))
      if (effect && command.do !== 'lock') this.#effect(process, command, 0)
    this.start(n)
  }

  /** The session that holds the lock is lost; a process that has not noticed goes on. */
  lose(n: number, isNoticed: boolean): void {
    const process = this.process(n)
    if (this.owner === process) this.owner = undefined
    if (isNoticed) process.held = false
  }

  /** One of the things that are under way succeeds. */
  finish(n: number, which: number, luck: number): void {
    const process = this.process(n)
    const [command] = process.pending.splice(which % Math.max(process.pending.length, 1), 1)
    if (command !== undefined) this.#tell(process, this.#effect(process, command, luck))
  }

  /** One of the things that are under way fails, or only its answer is lost. */
  fail(n: number, which: number, effect: boolean): void {
    const process = this.process(n)
    const command = process.pending[which % Math.max(process.pending.length, 1)]
    if (command === undefined || ['rest', 'release'].includes(command.do)) return
    process.pending.splice(process.pending.indexOf(command), 1)
    if (command.do === 'deliver') this.begun.delete(command.row.id)
    else if (effect && command.do !== 'lock') this.#effect(process, command, 0)
    this.#tell(process, { type: 'failed', command })
  }

  process(n: number): Process {
    const process = this.processes[n % this.processes.length]
    if (process === undefined) throw new Error('no process')
    return process
  }

  /** Everything succeeds from now on, until all is dealt with. */
  settle(): void {
    for (const process of this.processes) process.held &&= this.owner === process
    for (let round = 0; round < 20 + 4 * this.wanted.length && !this.#settled(); round += 1) {
      this.now += 10_000
      for (const [n, process] of this.processes.entries()) {
        this.refresh(n)
        for (const _ of [...process.pending]) this.finish(n, 0, 0)
      }
    }
    expect(this.cursor).toMatchObject({ last_id: this.wanted.length, reading_to: this.wanted.length })
    expect([...this.done].sort((a, b) => a - b)).toEqual(this.#wantedUpTo(this.wanted.length))
    expect([...this.letters.values()]).not.toContain(true)
  }

  #settled(): boolean {
    const { last_id, reading_to } = this.cursor ?? { last_id: -1, reading_to: -1 }
    const asked = [...this.letters.values()].includes(true)
    return !asked && last_id === this.wanted.length && reading_to === last_id
  }

  #wantedUpTo(end: number): number[] {
    return this.wanted.flatMap((wanted, index) => (wanted && index < end ? [index + 1] : []))
  }

  #dealtWith(end: number): boolean {
    return this.wanted.every((wanted, index) => !wanted || index >= end || this.done.has(index + 1))
  }

  #tell(process: Process, event: SubscriptionEvent): void {
    const { head, redrive_at, held } = process
    const step = stepSubscription(process.state, event, { now: this.now, head, redrive_at, held })
    process.state = step.state
    for (const command of step.commands) {
      if (command.do === 'end') {
        must(!process.held && process.pending.length === 0, 'a subscription ends with nothing under way')
        this.start(this.processes.indexOf(process))
      } else if (command.do === 'wake') this.#wake(process)
      else {
        if (command.do === 'deliver') this.#begin(process, command.row, command.redelivered)
        if (command.do === 'set_aside') {
          const { row, processes_ended } = command
          must(this.#dealtWith(row.id - 1), 'what is put aside is next in line')
          must(
            row.id <= process.doubt && processes_ended >= 2,
            'only what two processes may have ended of is put aside',
          )
        }
        if (command.do === 'remove_letter')
          must(process.outcome === 'handled', 'only what was handled leaves the letters')
        if (command.do === 'rest')
          must(
            !process.held || process.state.holding,
            'nobody is kept from the cursor by a process that does not hold it',
          )
        process.pending.push(command)
      }
    }
    const ahead = process.pending.filter((each) => each.do === 'read' || (each.do === 'mark' && each.why === 'ahead'))
    must(ahead.length <= 1, 'one page is on its way')
    must(process.pending.length - ahead.length <= 1, 'one thing is at hand')
  }

  #wake(process: Process): void {
    const at = process.pending.findIndex((command) => command.do === 'rest')
    if (at < 0) return
    process.pending.splice(at, 1)
    this.#tell(process, { type: 'rested' })
  }

  #begin(process: Process, row: BusRow, redelivered: boolean): void {
    const { id } = row
    if (process.state.doing.is === 'redriving') {
      must(redelivered, 'a letter says that it comes again')
      return
    }
    must(this.#dealtWith(id - 1), 'messages come in order, and none is skipped')
    must(
      redelivered === id <= process.doubt,
      'what was in doubt when the cursor was taken says so, and nothing else does',
    )
    // a process that does not know yet that it lost the cursor cannot know what the next one did
    const unaware = process.state.holder !== this.cursor?.holder
    must(redelivered || unaware || !this.begun.has(id), 'what comes again says so')
    must(id <= (this.cursor?.reading_to ?? 0), 'a message is in doubt before it is handled')
    this.begun.add(id)
    if (redelivered) this.flagged.add(id)
  }

  #effect(process: Process, command: Command, luck: number): SubscriptionEvent {
    switch (command.do) {
      case 'open':
        this.cursor ??= { last_id: 0, reading_to: 0, holder: 0, claims: 0 }
        return { type: 'opened' }
      case 'lock':
        this.owner ??= process
        process.held = this.owner === process
        if (!process.held) this.#letGo(process)
        return { type: 'locked', taken: process.held }
      case 'take': {
        const cursor = this.#cursor()
        if (cursor.holder !== process.claimed || cursor.claims === 0) cursor.claims += 1
        cursor.holder += 1
        process.claimed = cursor.holder
        process.doubt = cursor.reading_to
        return { type: 'taken', cursor: { ...cursor, processes_ended: cursor.claims - 1 } }
      }
      case 'release':
        this.#letGo(process)
        if (this.owner === process) this.owner = undefined
        process.held = false
        return { type: 'released' }
      case 'read': {
        const ids = this.#wantedUpTo(process.head).filter((id) => id > command.after)
        const rows = ids.slice(0, PAGE).map((id) => ({ id }) as BusRow)
        process.fetched = Math.max(process.fetched, rows.at(-1)?.id ?? 0)
        return { type: 'page', page: { rows, end: rows.length === PAGE ? (rows.at(-1)?.id ?? 0) : process.head } }
      }
      case 'mark':
        return { type: 'marked', mark: command, kept: this.#mark(process, command) }
      case 'deliver':
        process.outcome = this.#deliver(process, command.row.id, luck)
        return { type: 'delivered', outcome: process.outcome }
      case 'set_aside':
        this.done.add(command.row.id)
        this.letters.set(command.row.id, false)
        return { type: 'delivered', outcome: 'buried' }
      case 'list_letters': {
        const asked = [...this.letters].flatMap(([id, is]) => (is ? [{ id } as BusRow] : []))
        return { type: 'letters', rows: asked }
      }
      case 'remove_letter':
        this.letters.delete(command.id)
        return { type: 'letter_removed' }
      case 'rest':
        return { type: 'rested' }
    }
  }

  #letGo(process: Process): void {
    const { claimed } = process
    const { cursor } = this
    if (claimed === undefined || cursor === undefined) return
    if (claimed > cursor.holder - cursor.claims) cursor.claims = Math.max(0, cursor.claims - 1)
    process.claimed = undefined
  }

  #deliver(process: Process, id: number, luck: number): HandlingOutcome {
    const again = process.state.doing.is === 'redriving'
    const isClosed = process.state.closed && luck % 3 === 1
    // a letter is asked for no more once its try has begun, unless that is given up
    if (again) this.letters.set(id, isClosed)
    if (isClosed) {
      if (!again) this.begun.delete(id)
      return 'closed'
    }
    if (!again) this.done.add(id)
    if (luck % 3 !== 2) return 'handled'
    this.letters.set(id, false)
    return 'buried'
  }

  #mark(process: Process, { why, last_id, reading_to, holder, cleared }: Extract<Command, { do: 'mark' }>): boolean {
    const cursor = this.#cursor()
    if (cursor.holder !== holder) return false
    must(this.#dealtWith(last_id), 'a mark says no more than was dealt with')
    must(reading_to <= Math.max(last_id, process.doubt, process.fetched), 'only what was read comes into doubt')
    const at_rest = why === 'at_rest'
    const under_way = process.pending.some((each) => each.do === 'read' || each.do === 'mark')
    must(!at_rest || !under_way, 'doubt shrinks only while nothing is read')
    cursor.reading_to = Math.max(cursor.last_id, reading_to, at_rest ? 0 : cursor.reading_to)
    cursor.last_id = Math.max(cursor.last_id, last_id)
    if (cleared) cursor.claims = 1
    must(
      Math.max(0, ...this.begun) <= cursor.reading_to,
      'what may have been handled beyond the position stays in doubt',
    )
    return true
  }

  #cursor() {
    if (this.cursor === undefined) throw new Error('taken before it was opened')
    return this.cursor
  }
}

function must(kept: boolean, promise: string): void {
  if (!kept) throw new Error(`broken: ${promise}`)
}
