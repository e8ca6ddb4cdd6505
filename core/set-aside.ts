/** Work that crashed this many processes is set aside instead of being handed out again. */
export const PROCESSES_ENDED = 2

export const SET_ASIDE_KINDS = ['delivery', 'run'] as const

/** Work that is not handed out again because it crashed two processes: a delivery until a user replays it, a run for a day. */
export interface SetAside {
  kind: (typeof SET_ASIDE_KINDS)[number]
  /** id of the delivery, or of the run */
  subject: string
  workspace_id: string
  reason: string
  created_at: string
}
