import type { Schema } from '../../../../client/create-client.ts'
import { STRINGS } from '../../strings.ts'
import { RunNow } from './run-now.tsx'

const words = STRINGS.run.start_again
/** the last of the runs that repeat it */
const MOST_SHOWN = 3

type Lineage = Schema<'RunLineage'>

export const repeatsIn = (lineage: Lineage | undefined): Lineage['led_to'] =>
  lineage?.led_to.filter(({ trigger }) => trigger === 'retry' || trigger === 'again') ?? []

/** The runs that repeat an ended one, each with its present status. */
export function Repeats({ runs }: { runs: Lineage['led_to'] }) {
  return runs.slice(-MOST_SHOWN).map(({ run_id, trigger }) => (
    <p key={run_id} className="flex flex-wrap items-center gap-x-2 text-sm">
      {words[trigger === 'retry' ? 'retry' : 'whole'].as} <RunNow id={run_id} />
    </p>
  ))
}
