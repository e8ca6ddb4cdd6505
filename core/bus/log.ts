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
  /** anyone who has dealt with the rows has come this far */
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

/** A cursor as it is taken. */
export interface TakenCursor extends CursorPosition {
  /** processes that ended while they handled what is in doubt */
  processes_ended: number
}
