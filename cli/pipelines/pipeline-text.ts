import type { Schema } from '#client/create-client.ts'
import { EXIT } from '../exit-codes.ts'

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
