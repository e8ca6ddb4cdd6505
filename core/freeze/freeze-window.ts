/** What a freeze holds back: everything, or only what does more than read. */
export const FREEZE_SCOPES = ['all', 'writes'] as const
export type FreezeScope = (typeof FREEZE_SCOPES)[number]

interface FreezeRule {
  name: string
  scope: FreezeScope
  /** roles of whom one must approve what runs meanwhile; none = nothing runs */
  freeze_approvers: string[]
}

/** A freeze that comes again: on from each fire of the cron expression, for a span of elapsed time. */
export interface RecurringFreeze extends FreezeRule {
  cron: string
  duration_ms: number
  /** IANA name */
  timezone: string
}

/** A freeze that happens once: from the first instant to the second, RFC 3339, the end excluded. */
export interface SingleFreeze extends FreezeRule {
  interval: { from: string; to: string }
}

export type FreezeWindow = RecurringFreeze | SingleFreeze
