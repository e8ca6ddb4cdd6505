import type { JsonObject } from '../json/json.ts'
import { TERMINAL_STATUSES } from './status.ts'

export const RUN_EVENT_TYPES = [
  'run.queued',
  'run.started',
  'run.progress',
  'step.started',
  'step.log',
  'step.completed',
  'step.failed',
  'step.published',
  'policy.decided',
  'gate.opened',
  'gate.acknowledged',
  'gate.commented',
  'gate.decision',
  'gate.resolved',
  'gate.expired',
  'budget.reserved',
  'budget.settled',
  'budget.exceeded',
  'model.called',
  'alert.attached',
  'alert.resolved',
  'artifact.created',
  'run.cancelling',
  ...TERMINAL_STATUSES.map((status) => `run.${status}` as const),
] as const
export type RunEventType = (typeof RUN_EVENT_TYPES)[number]

/** An event before it has a number. `key` is deterministic: the same thing that happened is never written twice. */
export interface EventDraft {
  key: string
  type: RunEventType
  step?: string
  actor?: { type: string; id: string; display: string }
  data?: JsonObject
}
