import type { NoteRule, PolicyVerdict } from '../policy/types.ts'
import type { Transitions } from '../transitions.ts'

/** The votes of the four authorities (spec section 3): any of them turns a gate on, none turns another's off. */
export interface Authorities {
  operator: boolean
  profile: boolean
  policy: PolicyVerdict
  pack: boolean
}

/** The approvals that a gated step needs. */
export interface Required {
  approvals: number
  /** AND of ORs */
  approval_roles: string[][]
  prevent_self: boolean
  /** decisions that need a note */
  require_note?: NoteRule | undefined
  /** a decision must name the plan it is about */
  require_plan_hash?: boolean | undefined
  /** names of the freezes that were on: an approval from before one does not cover what runs in it */
  freezes?: string[] | undefined
  /** the user in whose place the answer is given, in a gate about lost authority */
  vouches_for?: string[] | undefined
}

/** Kinds of gates: may a step run, how did a step end, or may a run continue whose requester lost their authority. */
export const GATE_KINDS = ['approval', 'outcome_unknown', 'standing_lost'] as const
export type GateKind = (typeof GATE_KINDS)[number]

export const DECISIONS = ['approve', 'reject'] as const
export type Decision = (typeof DECISIONS)[number]
export const GATE_STATUSES = ['open', 'approved', 'rejected', 'expired', 'cancelled'] as const
export type GateStatus = (typeof GATE_STATUSES)[number]
/** The channels that a decision may come through. */
export const CHANNELS = ['api', 'console', 'cli', 'magic_link', 'slack', 'email', 'temporal', 'system'] as const
export type Channel = (typeof CHANNELS)[number]

/** Reasons for distrusting a message that came through the engine. */
export type ClaimKind =
  | 'unknown_shape'
  | 'unknown_run'
  | 'foreign_workspace'
  | 'foreign_workflow'
  | 'foreign_gate'
  | 'bad_signature'
  | 'not_signed'
  | 'not_allowed'
  | 'not_awaiting'
  | 'not_cancelling'
  | 'plan_changed'
  | 'unknown_notice'
  | 'unknown_schedule'
  | 'unknown_pipeline'
  | 'not_due'
  | 'not_scheduled'
  | 'unknown_job'
  | 'other_execution'
  | 'job_ended'

/** The life of a gate: it is resolved once. */
export const GATE_TRANSITIONS = {
  none: { open: ['parked'] },
  open: {
    approved: ['recordDecision'],
    rejected: ['recordDecision'],
    expired: ['expireDueGate', 'recordDecision'],
    cancelled: ['recordCancel', 'closeRun'],
  },
  approved: {},
  rejected: {},
  expired: {},
  cancelled: {},
} as const satisfies Transitions<(typeof GATE_STATUSES)[number], 'none'>
