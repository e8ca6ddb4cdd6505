import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback, useEffect, useState } from 'react'
import { Time } from '../../components/facts.tsx'
import { RunLink } from '../../components/link.tsx'
import { Empty, Failed, Loading } from '../../components/states.tsx'
import { Status } from '../../components/status.tsx'
import { type Column, VirtualTable } from '../../components/virtual-table.tsx'
import { useListKeys } from '../../lib/use-list-keys.ts'
import { useTitle } from '../../lib/use-title.ts'
import { STRINGS } from '../../strings.ts'
import { type Run, requesterOf } from './api.ts'
import { RunFilters } from './run-filters.tsx'
import { FILTERS, type RunsSearch } from './search.ts'
import { useRuns } from './use-runs.ts'

const words = STRINGS.runs

export function RunsPage() {
  useTitle(words.title)
  const search = useSearch({ from: '/runs' })
  const navigate = useNavigate({ from: '/runs' })
  return (
    // scroll position and selection belong to one list
    <RunList
      key={JSON.stringify(search)}
      search={search}
      onSearch={(changed) => void navigate({ to: '/runs', search: changed })}
      onOpen={(id) => void navigate({ to: '/runs/$id', params: { id } })}
    />
  )
}

interface Props {
  search: RunsSearch
  onSearch: (search: RunsSearch) => void
  onOpen: (id: string) => void
}

function RunList({ search, onSearch, onOpen }: Props) {
  const { list, runs, newer, stale, total, setFirst } = useRuns(search)
  const [turn, setTurn] = useState(0)
  const marked = useListKeys(runs, ({ id }) => onOpen(id))
  const { error, isPending, hasNextPage, isFetching, fetchNextPage } = list
  const onEnd = useCallback(() => {
    if (hasNextPage && !isFetching) void fetchNextPage()
  }, [hasNextPage, isFetching, fetchNextPage])
  const isFiltered = FILTERS.some((name) => search[name] !== undefined)
  const isEmpty = error === null && !isPending && runs.length === 0
  // a page may be empty while there are more: a request searches a limited number of runs
  const isSearching = isEmpty && hasNextPage
  useEffect(() => {
    if (isSearching) onEnd()
  }, [isSearching, onEnd])
  return (
    <>
      <div className="mb-3 flex flex-wrap items-baseline gap-4">
        <h1 className="text-xl font-semibold">{words.title}</h1>
        {total?.total !== undefined && <span className="text-soft">{words.count(total.total)}</span>}
        {total?.at_least !== undefined && <span className="text-soft">{words.at_least(total.at_least)}</span>}
        {newer > 0 && (
          <button
            type="button"
            onClick={() => {
              setFirst(0)
              setTurn(turn + 1)
            }}
            className="rounded border border-line px-3 text-sm"
          >
            {words.newer(newer)}
          </button>
        )}
      </div>
      <RunFilters search={search} onChange={onSearch} />
      {error !== null && <Failed error={error} again={() => void list.refetch()} />}
      {error === null && stale !== null && (
        <p role="status" className="mb-2 text-wait">
          {words.stale} {stale.message}
        </p>
      )}
      {(isPending || isSearching) && <Loading />}
      {isEmpty && !isSearching && <Empty>{isFiltered ? words.empty : words.none}</Empty>}
      {error === null && runs.length > 0 && (
        <VirtualTable
          key={turn}
          label={words.title}
          columns={COLUMNS}
          items={runs}
          keyOf={({ id }) => id}
          marked={marked}
          onEnd={onEnd}
          onFirst={setFirst}
        />
      )}
      {list.isFetchingNextPage && <p role="status">{words.more}</p>}
    </>
  )
}

const { columns } = words

const COLUMNS: Column<Run>[] = [
  { name: columns.status, className: 'w-36', cell: ({ status }) => <Status of={status} /> },
  {
    name: columns.template,
    className: 'max-md:hidden',
    cell: ({ pack, template, dry_run }) => (
      <>
        {`${pack}/${template}`}
        {dry_run && <span className="text-soft"> ({words.dry_run})</span>}
      </>
    ),
  },
  { name: columns.about, className: '', cell: (run) => <About run={run} /> },
  { name: columns.environment, className: 'w-32 max-lg:hidden', cell: ({ environment }) => environment },
  { name: columns.requester, className: 'w-36 max-xl:hidden', cell: (run) => requesterOf(run) },
  { name: columns.created, className: 'w-44 max-md:hidden', cell: ({ created_at }) => <Time at={created_at} /> },
  {
    name: columns.id,
    className: 'w-16 sm:w-64',
    cell: ({ id }) => <RunLink id={id} />,
  },
]

/** The reason of a run, which tells it from others of its template; without one the template's name. */
function About({ run: { reason, pack, template } }: { run: Run }) {
  return reason === undefined ? (
    <span className="md:hidden">{`${pack}/${template}`}</span>
  ) : (
    <bdi title={reason}>{reason}</bdi>
  )
}
