import { useQuery } from '@tanstack/react-query'
import { RunLink } from '../../components/link.tsx'
import { Status } from '../../components/status.tsx'
import { runQuery } from '../runs/api.ts'

const RELOAD_MS = 5_000

/** Leads to a run, and shows its present status. */
export function RunNow({ id }: { id: string }) {
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
