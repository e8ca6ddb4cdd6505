/** What is handed out again after a crash, and is set aside instead once it has ended this many processes. */
export const PROCESSES_ENDED = 2

export const SET_ASIDE_KINDS = ['delivery', 'run'] as const

/** Work that is not handed out again because it has ended two processes: a delivery until somebody replays it, a run for a day. */
export interface SetAside {
  kind: (typeof SET_ASIDE_KINDS)[number]
  /** id of the delivery, or of the run */
  subject: string
  workspace_id: string
  reason: string
  created_at: string
}
