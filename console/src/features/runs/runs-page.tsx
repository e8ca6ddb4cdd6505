import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Empty, Failed, Loading } from '../../components/states.tsx'
import { Status } from '../../components/status.tsx'
import { Time } from '../../components/time.tsx'
import { STRINGS } from '../../strings.ts'
import { type Run, requesterOf, runsQuery } from './api.ts'
import { RunFilters } from './run-filters.tsx'
import { FILTERS } from './search.ts'

const words = STRINGS.runs

export function RunsPage() {
  const search = useSearch({ from: '/runs' })
  const navigate = useNavigate({ from: '/runs' })
  const { data, error, isPending, refetch } = useQuery(runsQuery(search))
  const filtered = FILTERS.some((name) => search[name] !== undefined)
  return (
    <>
      <div className="mb-3 flex flex-wrap items-baseline gap-4">
        <h1 className="text-xl font-semibold">{words.title}</h1>
        {data?.total !== undefined && <span className="text-soft">{words.count(data.total)}</span>}
        {data?.at_least !== undefined && <span className="text-soft">{words.at_least(data.at_least)}</span>}
      </div>
      <RunFilters search={search} onChange={(changed) => void navigate({ search: changed })} />
      {error !== null && <Failed error={error} again={() => void refetch()} />}
      {isPending && <Loading />}
      {error === null && data !== undefined && data.runs.length === 0 && (
        <Empty>{filtered || search.cursor !== undefined ? words.empty : words.none}</Empty>
      )}
      {error === null && data !== undefined && data.runs.length > 0 && <RunTable runs={data.runs} />}
      <nav aria-label={words.title} className="mt-4 flex gap-4">
        {search.cursor !== undefined && (
          <Link from="/runs" to="/runs" search={({ cursor: _gone, ...rest }) => rest} className="text-mark underline">
            {words.first}
          </Link>
        )}
        {data?.next !== undefined && (
          <Link from="/runs" to="/runs" search={{ ...search, cursor: data.next }} className="text-mark underline">
            {words.next}
          </Link>
        )}
      </nav>
    </>
  )
}

function RunTable({ runs }: { runs: Run[] }) {
  const { columns } = words
  return (
    <div className="overflow-x-auto">
      <table className="w-full text-left">
        <thead className="border-b border-line text-sm text-soft">
          <tr>
            {[
              columns.status,
              columns.template,
              columns.environment,
              columns.requester,
              columns.created,
              columns.id,
            ].map((name) => (
              <th key={name} scope="col" className="px-2 py-1 font-medium">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {runs.map((run) => (
            <tr key={run.id} className="border-b border-line align-top hover:bg-sunk">
              <td className="px-2 py-1">
                <Status of={run.status} />
              </td>
              <td className="break-words px-2 py-1">
                {run.pack}/{run.template}
              </td>
              <td className="break-words px-2 py-1">{run.environment}</td>
              <td className="break-words px-2 py-1">{requesterOf(run)}</td>
              <td className="px-2 py-1">
                <Time at={run.created_at} />
              </td>
              <td className="px-2 py-1">
                <Link to="/runs/$id" params={{ id: run.id }} className="font-mono text-sm text-mark underline">
                  {run.id}
                </Link>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
