import type { JsonObject } from './json/json.ts'

/** What an act left on record: the audit record of its transaction, without who and when. */
export interface Done {
  action: string
  subject: { type: string; id: string }
  data: JsonObject
}

/** A request with an `Idempotency-Key`, for the verb that it calls. */
export interface Attempt {
  /** the same for every repeat; ids of what it makes may follow from it */
  id: string
  /** of this request alone: only the one that has the key may commit something */
  turn: string
  /** an earlier request with the key may have done all of it or a part */
  again: boolean
  /** what an earlier one did, whose answer was lost: the verb answers with that, and does nothing */
  done?: Done
}
