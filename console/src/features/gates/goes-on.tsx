import { useQuery } from '@tanstack/react-query'
import { STRINGS } from '../../strings.ts'
import { runQuery } from '../runs/api.ts'

const RELOAD_MS = 2_000

/** Says of a run whose gate was answered that it goes on, as long as it does, or that a halt holds it. */
export function GoesOn({ run_id }: { run_id: string }) {
  const { data: run } = useQuery({
    ...runQuery(run_id),
    refetchInterval: ({ state }) => (state.data?.ended_at === undefined ? RELOAD_MS : false),
  })
  if (run?.status !== 'queued' && run?.status !== 'running') return null
  const isHeld = run.status_reason === 'halted' || (run.halts?.length ?? 0) > 0
  return ` · ${isHeld ? STRINGS.run.state.halted : STRINGS.gates.outcome.goes_on}`
}
