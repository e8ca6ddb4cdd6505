import type { CloudEvent } from './cloud-event.ts'

/** A message of the log, with its number. */
export interface BusRow {
  id: number
  topic: string
  workspace_id: string
  event: CloudEvent
}

export interface LogPage {
  rows: BusRow[]
  /** position after handling these rows */
  end: number
}

/** A cursor that one process holds, until another takes it. */
export interface CursorPosition {
  last_id: number
  /** up to here a subscriber that was lost may have handled messages without saying so */
  reading_to: number
  /** grows with every process that takes it */
  holder: number
}

/** A cursor that was taken. */
export interface TakenCursor extends CursorPosition {
  /** processes that crashed while they handled messages in doubt */
  processes_ended: number
}

/** How the handling of a message ended: done, set aside after its last attempt, or abandoned because the subscription closed. */
export type HandlingOutcome = 'handled' | 'buried' | 'closed'

/** A command to the loop of a subscription. Each but the last two is answered by an event, or by `failed`. */
export type SubscriptionCommand =
  /** gives a new subscriber its cursor */
  | { do: 'open' }
  | { do: 'lock' }
  /** takes the cursor from its holder */
  | { do: 'take' }
  | { do: 'release' }
  | { do: 'read'; after: number }
  | SubscriptionMark
  | { do: 'deliver'; row: BusRow; redelivered: boolean }
  /** sets aside a message that crashed every process that handled it */
  | { do: 'set_aside'; row: BusRow; processes_ended: number }
  | { do: 'list_letters' }
  | { do: 'remove_letter'; id: number }
  /** until the time is over or it is woken */
  | { do: 'rest'; for: 'retry' | number }
  /** ends a rest, if there is one */
  | { do: 'wake' }
  | { do: 'end' }

/**
 * Stores the position of this process. `ahead`: before a page is handled, up to where messages may be handled twice. `progress`: in the
 * middle of a page. `at_rest`: nothing is being read, so no message is in doubt.
 */
export interface SubscriptionMark extends CursorPosition {
  do: 'mark'
  why: 'ahead' | 'progress' | 'at_rest'
  /** messages that crashed a process are behind this position */
  cleared: boolean
}

export type SubscriptionEvent =
  | { type: 'started' }
  | { type: 'opened' }
  | { type: 'locked'; taken: boolean }
  | { type: 'taken'; cursor: TakenCursor }
  | { type: 'released' }
  | { type: 'page'; page: LogPage }
  /** `kept` is false when another process has taken the cursor */
  | { type: 'marked'; mark: SubscriptionMark; kept: boolean }
  | { type: 'delivered'; outcome: HandlingOutcome }
  | { type: 'letters'; rows: BusRow[] }
  | { type: 'letter_removed' }
  | { type: 'rested' }
  | { type: 'failed'; command: SubscriptionCommand }
  /** there may be something new; with a batch, when it holds nothing for this subscriber */
  | { type: 'notified'; foreign?: { from: number; to: number } }
  | { type: 'closed' }

/** The state of the world at the time of an event. */
export interface SubscriptionView {
  now: number
  /** the end of the log, as far as this process knows */
  head: number
  /** changes whenever there are dead letters to redrive */
  redrive_at: number
  /** the lock is this process's */
  held: boolean
}

/** The current work. A page is fetched beside it. */
export type Doing =
  /** `waiting`: for a page. `joining`: for the fetch to end, before something else begins. */
  | { is: 'starting' | 'opening' | 'locking' | 'taking' | 'releasing' | 'waiting' | 'joining' | 'ended' }
  /** an `idle` rest ends early when there is something to read */
  | { is: 'resting'; idle: boolean }
  /** row `at` is at the handler, or the position after the row before it is being marked */
  | { is: 'handling'; page: LogPage; at: number }
  /** row `at` is at the handler, or about to leave the list */
  | { is: 'redriving'; asked_at: number; rows: BusRow[]; at: number }
  /** the mark at rest; the `last` one is made once, even if it fails */
  | { is: 'settling'; last: boolean }

/** The next page, and the messages in doubt because of it. */
export type Fetch = { is: 'none' | 'reading' | 'failed' } | { is: 'marking' | 'ready'; page: LogPage }

/** All that a subscription remembers. */
export interface SubscriptionState {
  doing: Doing
  fetch: Fetch
  /** the cursor exists: from then on no message is missed */
  opened: boolean
  /** the cursor was taken, and is not known to be lost */
  holding: boolean
  holder: number
  /** every message up to here is handled */
  position: number
  /** the holder before may have handled messages up to here */
  doubtful_to: number
  /** processes that crashed while they handled messages in doubt, up to here */
  ended: { processes: number; to: number }
  /** the stored cursor: at least `last_id`, at most `reading_to` */
  marked: { last_id: number; reading_to: number; at: number }
  /** something was handled since the last rest, so the next mark is due soon */
  handled: boolean
  redriven_at: number
  closed: boolean
}

export interface SubscriptionStep {
  state: SubscriptionState
  commands: SubscriptionCommand[]
}

export const NEW_SUBSCRIPTION: SubscriptionState = {
  doing: { is: 'starting' },
  fetch: { is: 'none' },
  opened: false,
  holding: false,
  holder: 0,
  position: 0,
  doubtful_to: 0,
  ended: { processes: 0, to: 0 },
  marked: { last_id: 0, reading_to: 0, at: 0 },
  handled: false,
  redriven_at: 0,
  closed: false,
}
