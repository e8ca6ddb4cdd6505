import { type ShownData, shownData } from '#core/run/shown-data.ts'
import type { JudgedWork } from './step-work.ts'

const MOST_BYTES = 16_384

/** The input of a step as the record keeps it: as approvers are shown it, and no larger than its place. */
export function shownInputs({ deps, judged }: JudgedWork): ShownData {
  return shownData(judged.redacted.shown, MOST_BYTES, deps.sha256)
}
