import type { Schema } from '#client/create-client.ts'
import { EXIT } from '../exit-codes.ts'
import { pc } from '../views/format.ts'
import { paintStatus } from '../views/run-text.ts'

const OWN: Partial<Record<string, (text: string) => string>> = {
  blocked: pc.yellow,
  ready: pc.yellow,
  expired: pc.red,
  waiting_timer: pc.cyan,
  waiting_event: pc.cyan,
}

/** The status of a pipeline, or the state of a step, in its colour. */
export function paintState(text: string, state: string): string {
  return OWN[state]?.(text) ?? paintStatus(text, state)
}

/** Lists the steps that should have been compensated and were not; empty for none. */
export function notTakenBackText(left: Schema<'Pipeline'>['not_taken_back'] = []): string {
  const steps = [...new Set(left.map(({ step }) => step))]
  return steps.length === 0 ? '' : `not taken back: ${steps.join(', ')}`
}

/** Exit codes by the end of a pipeline; those of a run with the same end. */
export const EXIT_OF_PIPELINE: Record<Schema<'PipelineStatus'>, number> = {
  succeeded: EXIT.ok,
  failed: EXIT.failed,
  rejected: 2,
  cancelled: 3,
  queued: EXIT.conflict,
  running: EXIT.conflict,
  blocked: EXIT.conflict,
}

export const FOLLOW_EXIT_HELP = `
Exit status of what follows a pipeline to its end:
  0  succeeded
  1  failed
  2  rejected
  3  cancelled`
