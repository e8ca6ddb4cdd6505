import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { STRINGS } from '../../strings.ts'
import { readRuns } from '../runs/api.ts'

const words = STRINGS.gates

/** Says of a gate that is not open what became of it: its run knows. */
export function ClosedGate({ id }: { id: string }) {
  const { data } = useQuery({
    queryKey: ['gate-run', id],
    queryFn: async ({ signal }) => (await readRuns({ q: id }, '', signal)).runs,
  })
  const [run] = data ?? []
  return (
    <p className="mb-3 text-warning">
      {run === undefined ? words.closed : words.closed_run}{' '}
      {run !== undefined && (
        <Link to="/runs/$id" params={{ id: run.id }} className="link">
          {words.outcome.run}
        </Link>
      )}
    </p>
  )
}
