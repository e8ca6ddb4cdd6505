import { useQuery } from '@tanstack/react-query'
import type { Schema } from '../../../../client/create-client.ts'
import { RunLink } from '../../components/link.tsx'
import { Status } from '../../components/status.tsx'
import { STRINGS } from '../../strings.ts'
import { runQuery } from '../runs/api.ts'

const words = STRINGS.run.start_again
/** the last of the runs that repeat it */
const MAX_SHOWN = 3

type Lineage = Schema<'RunLineage'>

export const repeatsIn = (lineage: Lineage | undefined): Lineage['led_to'] =>
  lineage?.led_to.filter(({ trigger }) => trigger === 'retry' || trigger === 'again') ?? []

/** The runs that repeat an ended one, each with its present status. */
export function Repeats({ runs }: { runs: Lineage['led_to'] }) {
  return runs.slice(-MAX_SHOWN).map(({ run_id, trigger }) => (
    <p key={run_id} className="flex flex-wrap items-center gap-x-2 text-sm">
      {words[trigger === 'retry' ? 'retry' : 'whole'].as} <RunNow id={run_id} />
    </p>
  ))
}

const RELOAD_MS = 5_000

/** Leads to a run, and shows its present status. */
function RunNow({ id }: { id: string }) {
  const { data: run } = useQuery({
    ...runQuery(id),
    refetchInterval: ({ state }) => (state.data?.ended_at === undefined ? RELOAD_MS : false),
  })
  return (
    <>
      <RunLink id={id} /> {run !== undefined && <Status of={run.status} />}
    </>
  )
}
