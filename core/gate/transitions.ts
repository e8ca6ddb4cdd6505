import type { Transitions } from '../transitions.ts'
import type { GATE_STATUSES } from './types.ts'

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
