import type { JsonObject } from './json/json.ts'

/** The audit record of an act, without who and when. */
export interface Done {
  action: string
  subject: { type: string; id: string }
  data: JsonObject
}

/** A request with an `Idempotency-Key`, for the verb that it calls. */
export interface Attempt {
  /** the same for every repeat; ids of created objects may be derived from it */
  id: string
  /** of this request alone: only its owner may commit */
  turn: string
  /** an earlier request with the key may have done all of it or a part */
  again: boolean
  /** the result of an earlier request whose answer was lost: the verb returns it and does nothing */
  done?: Done
}
