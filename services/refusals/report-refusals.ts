import type { Ids } from '#core/id.ts'
import { type Clock, isoTime } from '#core/time.ts'
import type { Refusals } from '#store/refusals.ts'
import type { RunStore } from '#store/runs.ts'

const BATCH = 100

interface ReportDeps {
  refusals: Pick<Refusals, 'unreported'>
  runs: Pick<RunStore, 'appendRefusals'>
  ids: Ids
  clock: Clock
}

/** Puts the number of those refusals on record that were only counted: nothing like them may ever come again. */
export async function reportRefusals({ refusals, runs, ids, clock }: ReportDeps): Promise<void> {
  const waiting = await refusals.unreported(BATCH)
  if (waiting.length === 0) return
  await runs.appendRefusals(
    waiting.map(({ draft, ...row }) => ({
      ...row,
      more: 0,
      draft: { ...draft, id: ids.next('audit'), ts: isoTime(clock()) },
    })),
  )
}
