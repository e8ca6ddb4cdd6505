import type { RecordDeps } from './record-deps.ts'
import { refuseClaim } from './refuse-claim.ts'

const BATCH = 100

/** Puts the number of those refused claims on record that were only counted: nothing like them may ever come again. */
export async function reportClaims(deps: Pick<RecordDeps, 'decisions' | 'ids' | 'clock'>): Promise<void> {
  for (const { kind, subject_id } of await deps.decisions.unreported(BATCH))
    await refuseClaim(deps, kind, subject_id, {}, 0)
}
