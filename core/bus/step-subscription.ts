import { PROCESSES_ENDED } from '../set-aside.ts'
import type {
  Doing,
  HandlingOutcome,
  LogPage,
  SubscriptionCommand,
  SubscriptionEvent,
  SubscriptionMark,
  SubscriptionState,
  SubscriptionStep,
  SubscriptionView,
} from './subscription.ts'

/** A cursor that only passed foreign messages is written this often: the sweep waits for it. */
const IDLE_MARK_MS = 5_000
/** In the middle of a page the stored cursor may lag this far behind. */
const MARK_MS = 200
/** Dead letters are redriven this many at a time. */
export const REDRIVE = 50

/**
 * Returns the next state of a subscription and its command. It reads the log from the subscriber's cursor on: one message at a time, in
 * order, at least once. A page is fetched while the previous one is handled; before a page is handled, the cursor notes how far messages
 * may be handled twice.
 */
export function stepSubscription(
  state: SubscriptionState,
  event: SubscriptionEvent,
  view: SubscriptionView,
): SubscriptionStep {
  const { doing } = state
  switch (event.type) {
    case 'started':
    case 'rested':
      return decide(state, view)
    case 'opened':
      return decide({ ...state, opened: true }, view)
    case 'locked':
      return event.taken ? proceed(state, { is: 'taking' }, { do: 'take' }) : rest(state, view)
    case 'taken': {
      const { last_id, reading_to, holder, processes_ended: processes } = event.cursor
      const marked = { last_id, reading_to, at: view.now }
      const taken = { holding: true, holder, position: last_id, doubtful_to: reading_to, marked }
      return decide({ ...state, ...taken, ended: { processes, to: reading_to } }, view)
    }
    case 'released':
      return rest(state, view)
    case 'page':
      return fetched(state, event.page, view)
    case 'marked':
      return marked(state, event.mark, event.kept, view)
    case 'delivered':
      return doing.is === 'redriving'
        ? redriven(state, doing, event.outcome, view)
        : delivered(state, event.outcome, view)
    case 'letters':
      return doing.is === 'redriving' ? redrive(state, { ...doing, rows: event.rows, at: 0 }, view) : stay(state)
    case 'letter_removed':
      return doing.is === 'redriving' ? redrive(state, { ...doing, at: doing.at + 1 }, view) : stay(state)
    case 'failed':
      return failed(state, event.command, view)
    case 'notified':
      return notified(state, event.foreign, view)
    case 'closed':
      return { state: { ...state, closed: true }, commands: [{ do: 'wake' }] }
  }
}

const stay = (state: SubscriptionState): SubscriptionStep => ({ state, commands: [] })

const proceed = (state: SubscriptionState, doing: Doing, command: SubscriptionCommand): SubscriptionStep => ({
  state: { ...state, doing },
  commands: [command],
})

const mayGoOn = (state: SubscriptionState, view: SubscriptionView) => !state.closed && state.holding && view.held

/** Chooses the next command when no message is at hand. */
function decide(state: SubscriptionState, view: SubscriptionView): SubscriptionStep {
  // marks must not arrive in the wrong order
  if (state.fetch.is === 'reading' || state.fetch.is === 'marking') return stay({ ...state, doing: { is: 'joining' } })
  const next: SubscriptionState = { ...state, fetch: { is: 'none' } }
  if (state.closed) return end(next, view)
  if (view.held && !state.holding) return proceed(next, { is: 'releasing' }, { do: 'release' })
  if (!view.held) return takeCursor(next)
  if (state.redriven_at !== view.redrive_at)
    return proceed(next, { is: 'redriving', asked_at: view.redrive_at, rows: [], at: 0 }, { do: 'list_letters' })
  if (state.position < view.head)
    return proceed({ ...next, fetch: { is: 'reading' } }, { is: 'waiting' }, { do: 'read', after: state.position })
  return idle(next, view)
}

/** The cursor row is created before the lock is requested. */
function takeCursor(state: SubscriptionState): SubscriptionStep {
  const next = { ...state, holding: false }
  return state.opened
    ? proceed(next, { is: 'locking' }, { do: 'lock' })
    : proceed(next, { is: 'opening' }, { do: 'open' })
}

/** Waits before the next attempt after a failed one. */
function rest(state: SubscriptionState, view: SubscriptionView): SubscriptionStep {
  // without its position the lock is worth nothing, and is not slept on
  if (state.closed || (view.held && !state.holding)) return decide(state, view)
  return proceed(state, { is: 'resting', idle: false }, { do: 'rest', for: 'retry' })
}

function idle(state: SubscriptionState, view: SubscriptionView): SubscriptionStep {
  const rest_ms = state.handled ? MARK_MS : IDLE_MARK_MS
  if (unsettled(state) && view.now - state.marked.at > rest_ms) return settle({ ...state, handled: false }, false)
  return proceed(state, { is: 'resting', idle: true }, { do: 'rest', for: rest_ms })
}

function end(state: SubscriptionState, view: SubscriptionView): SubscriptionStep {
  const { doing } = state
  const is_last = doing.is === 'settling' && doing.last
  // an error that could not be reported is reported with its repetition
  if (!is_last && state.holding && view.held && unsettled(state)) return settle(state, true)
  if (view.held) return proceed({ ...state, holding: false }, { is: 'releasing' }, { do: 'release' })
  return proceed(state, { is: 'ended' }, { do: 'end' })
}

function marked(
  state: SubscriptionState,
  { why, last_id, reading_to }: SubscriptionMark,
  kept: boolean,
  view: SubscriptionView,
): SubscriptionStep {
  const before = state.marked
  const now = {
    last_id: Math.max(before.last_id, last_id),
    reading_to: why === 'at_rest' ? reading_to : before.reading_to,
    at: view.now,
  }
  const next = kept ? { ...state, marked: now } : { ...state, holding: false }
  if (why === 'ahead')
    return state.fetch.is === 'marking' ? ready(next, kept ? state.fetch.page : 'failed', view) : stay(next)
  if (why === 'progress' && state.doing.is === 'handling') return handle(next, state.doing, view)
  return decide(next, view)
}

function fetched(state: SubscriptionState, page: LogPage, view: SubscriptionView): SubscriptionStep {
  const last = page.rows.at(-1)
  if (last === undefined || state.doing.is === 'joining') return ready(state, page, view)
  return mark({ ...state, fetch: { is: 'marking', page } }, 'ahead', last.id)
}

/** The fetch has ended; it is met when the page before it is handled. */
function ready(state: SubscriptionState, page: LogPage | 'failed', view: SubscriptionView): SubscriptionStep {
  const next: SubscriptionState = { ...state, fetch: page === 'failed' ? { is: page } : { is: 'ready', page } }
  if (state.doing.is === 'waiting') return meet(next, view)
  return state.doing.is === 'joining' ? decide(next, view) : stay(next)
}

function meet(state: SubscriptionState, view: SubscriptionView): SubscriptionStep {
  const { fetch } = state
  if (fetch.is === 'failed') return rest({ ...state, fetch: { is: 'none' } }, view)
  if (fetch.is === 'none') return decide(state, view)
  if (fetch.is !== 'ready') return stay({ ...state, doing: { is: 'waiting' } })
  const { page } = fetch
  const doing: Handling = { is: 'handling', page, at: 0 }
  if (page.end >= view.head) return handle({ ...state, doing, fetch: { is: 'none' } }, doing, view)
  const first = handle({ ...state, doing, fetch: { is: 'reading' } }, doing, view)
  return { ...first, commands: [{ do: 'read', after: page.end }, ...first.commands] }
}

type Handling = Extract<Doing, { is: 'handling' }>

/** Handles the row at `state.doing`, or leaves the page. */
function handle(state: SubscriptionState, { page, at }: Handling, view: SubscriptionView): SubscriptionStep {
  const row = page.rows[at]
  if (row === undefined) {
    const next = { ...state, position: Math.max(state.position, page.end) }
    return mayGoOn(state, view) && state.redriven_at === view.redrive_at ? meet(next, view) : decide(next, view)
  }
  if (!mayGoOn(state, view)) return decide(state, view)
  const { processes } = state.ended
  // each message in doubt was marked before the next began, so the last process ended with this one
  if (processes >= PROCESSES_ENDED && mayCrash(state, row.id))
    return { state, commands: [{ do: 'set_aside', row, processes_ended: processes }] }
  return { state, commands: [{ do: 'deliver', row, redelivered: row.id <= state.doubtful_to }] }
}

/** Tells whether a message may have crashed a process before. */
const mayCrash = ({ ended }: SubscriptionState, id: number) => ended.processes > 0 && id <= ended.to

function delivered(state: SubscriptionState, outcome: HandlingOutcome, view: SubscriptionView): SubscriptionStep {
  if (state.doing.is !== 'handling') return stay(state)
  const { page, at } = state.doing
  const row = page.rows[at]
  if (outcome === 'closed' || row === undefined) return decide(state, view)
  const doing: Handling = { is: 'handling', page, at: at + 1 }
  const may_crash = mayCrash(state, row.id)
  const isAside = may_crash && state.ended.processes >= PROCESSES_ENDED
  // of those behind it each has two processes again
  const known = isAside ? { ...state, ended: { processes: 0, to: 0 } } : state
  const next = passed(known, doing, row.id)
  return may_crash || view.now - state.marked.at > MARK_MS ? mark(next, 'progress', row.id) : handle(next, doing, view)
}

/** Written out, because a replay does this with every message and a spread would cost more than all the rest of it. */
function passed(state: SubscriptionState, doing: Handling, position: number): SubscriptionState {
  const { fetch, opened, holding, holder, doubtful_to, ended, marked, redriven_at, closed } = state
  return {
    doing,
    fetch,
    opened,
    holding,
    holder,
    position,
    doubtful_to,
    ended,
    marked,
    handled: true,
    redriven_at,
    closed,
  }
}

type Redriving = Extract<Doing, { is: 'redriving' }>

/** Retries a message that was set aside, out of order. */
function redrive(state: SubscriptionState, doing: Redriving, view: SubscriptionView): SubscriptionStep {
  const { rows, at, asked_at } = doing
  const row = rows[at]
  if (!mayGoOn(state, view)) return decide(state, view)
  if (row !== undefined) return proceed(state, doing, { do: 'deliver', row, redelivered: true })
  if (rows.length >= REDRIVE) return proceed(state, { ...doing, rows: [], at: 0 }, { do: 'list_letters' })
  return decide({ ...state, redriven_at: asked_at }, view)
}

function redriven(
  state: SubscriptionState,
  doing: Redriving,
  outcome: HandlingOutcome,
  view: SubscriptionView,
): SubscriptionStep {
  const row = doing.rows[doing.at]
  if (outcome === 'closed' || row === undefined) return decide(state, view)
  if (outcome === 'handled') return proceed(state, doing, { do: 'remove_letter', id: row.id })
  return redrive(state, { ...doing, at: doing.at + 1 }, view)
}

function failed(state: SubscriptionState, command: SubscriptionCommand, view: SubscriptionView): SubscriptionStep {
  if (command.do === 'read' || (command.do === 'mark' && command.why === 'ahead')) return ready(state, 'failed', view)
  return rest(state, view)
}

/** Messages that follow the position and are none of the subscriber's are passed without a read. */
function notified(
  state: SubscriptionState,
  foreign: { from: number; to: number } | undefined,
  view: SubscriptionView,
): SubscriptionStep {
  const { doing, position } = state
  const reading = state.fetch.is !== 'none' || doing.is === 'handling'
  if (foreign !== undefined && !reading && position === foreign.from - 1)
    return stay(mayGoOn(state, view) ? { ...state, position: foreign.to } : state)
  return { state, commands: doing.is === 'resting' && doing.idle ? [{ do: 'wake' }] : [] }
}

/** Tells whether the stored cursor differs from this process's knowledge. */
const unsettled = ({ position, doubtful_to, marked }: SubscriptionState) =>
  position > marked.last_id || marked.reading_to > Math.max(position, doubtful_to)

/** At rest, messages of this process are in no doubt; those of the previous one stay so until they are passed. */
function settle(state: SubscriptionState, last: boolean): SubscriptionStep {
  return mark({ ...state, doing: { is: 'settling', last } }, 'at_rest', Math.max(state.position, state.doubtful_to))
}

/** Stores the position of this process, and up to where messages may be handled twice. */
function mark(state: SubscriptionState, why: SubscriptionMark['why'], reading_to: number): SubscriptionStep {
  const { position: last_id, holder, marked, ended } = state
  const cleared = ended.processes === 0 || last_id >= ended.to
  return {
    // it may be written even if the answer is lost
    state: { ...state, marked: { ...marked, reading_to: Math.max(marked.reading_to, reading_to) } },
    commands: [{ do: 'mark', why, last_id, reading_to, holder, cleared }],
  }
}
