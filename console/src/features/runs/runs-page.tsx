import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback, useEffect, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { FilterBar } from '../../components/filter-bar.tsx'
import { Count, PageHeader } from '../../components/page-header.tsx'
import { SavedViews } from '../../components/saved-views.tsx'
import { Empty, Failed, Loading } from '../../components/states.tsx'
import { Environment, Status } from '../../components/status.tsx'
import { Ago } from '../../components/time.tsx'
import { type Column, VirtualTable } from '../../components/virtual-table.tsx'
import { ownSearch } from '../../lib/read-search.ts'
import { elapsedText } from '../../lib/time.ts'
import { useListKeys } from '../../lib/use-list-keys.ts'
import { useNow } from '../../lib/use-now.ts'
import { useTitle } from '../../lib/use-title.ts'
import { STRINGS } from '../../strings.ts'
import { useFilterChoices } from '../policies/use-filter-choices.ts'
import { FILTERS, type Run, type RunsSearch, requesterOf } from './api.ts'
import { RUN_FILTERS } from './filters.ts'
import { useRuns } from './use-runs.ts'

const words = STRINGS.runs

export function RunsPage() {
  useTitle(words.title)
  const search = useSearch({ from: '/runs', select: ownSearch })
  const navigate = useNavigate({ from: '/runs' })
  const { list, runs, newer, stale, total, setFirst } = useRuns(search)
  const [turn, setTurn] = useState(0)
  const choices = useFilterChoices(RUN_FILTERS, search)
  const { error, isPending, hasNextPage, isFetching, fetchNextPage } = list
  const onSearch = (changed: RunsSearch, replace = false) => void navigate({ to: '/runs', search: changed, replace })
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
      <PageHeader
        title={words.title}
        aside={<Count of={total} words={words} />}
        actions={
          newer > 0 && (
            <Button
              size="sm"
              onClick={() => {
                setFirst(0)
                setTurn(turn + 1)
              }}
            >
              {words.newer(newer)}
            </Button>
          )
        }
      />
      <SavedViews page="runs" search={search} onOpen={onSearch} />
      <FilterBar filters={choices} values={search} onChange={onSearch} />
      {error !== null && <Failed error={error} again={() => void list.refetch()} />}
      {error === null && stale !== null && (
        <p role="status" className="mb-2 text-warning">
          {STRINGS.states.stale} {stale.message}
        </p>
      )}
      {(isPending || isSearching) && <Loading />}
      {isEmpty && !isSearching && (
        <Empty action={isFiltered ? undefined : <FirstRun />}>{isFiltered ? words.empty : words.none}</Empty>
      )}
      {error === null && runs.length > 0 && (
        <RunTable
          // scroll position and selection belong to one list
          key={`${turn} ${JSON.stringify(search)}`}
          runs={runs}
          onOpen={(id) => void navigate({ to: '/runs/$id', params: { id } })}
          onEnd={onEnd}
          onFirst={setFirst}
        />
      )}
      {list.isFetchingNextPage && <p role="status">{words.more}</p>}
    </>
  )
}

function FirstRun() {
  return (
    <Link to="/start" search={{}} className="link">
      {words.begin}
    </Link>
  )
}

interface TableProps {
  runs: Run[]
  onOpen: (id: string) => void
  onEnd: () => void
  onFirst: (first: number) => void
}

function RunTable({ runs, onOpen, ...more }: TableProps) {
  const marked = useListKeys(runs, ({ id }) => onOpen(id))
  return (
    <VirtualTable label={words.title} columns={COLUMNS} items={runs} keyOf={({ id }) => id} marked={marked} {...more} />
  )
}

const { columns } = words

const COLUMNS: Column<Run>[] = [
  { name: columns.status, className: 'w-40', cell: ({ status }) => <Status of={status} /> },
  { name: columns.about, className: '', cell: (run) => <About run={run} /> },
  {
    name: columns.template,
    className: 'w-44 text-muted-foreground max-lg:hidden 2xl:w-56',
    cell: ({ pack, template, dry_run }) => (
      <>
        {`${pack}/${template}`}
        {dry_run && <span className="text-muted-foreground"> ({words.dry_run})</span>}
      </>
    ),
  },
  {
    name: columns.environment,
    className: 'w-44 max-lg:hidden',
    cell: ({ environment, environment_class }) => <Environment name={environment} of={environment_class} />,
  },
  { name: columns.requester, className: 'w-40 max-[1400px]:hidden', cell: (run) => requesterOf(run) },
  {
    name: columns.created,
    className: 'w-28 max-sm:hidden text-muted-foreground',
    cell: ({ created_at }) => <Ago at={created_at} />,
  },
  {
    name: columns.took,
    className: 'w-28 max-md:hidden text-muted-foreground tabular-nums',
    cell: (run) => <Took run={run} />,
  },
]

/** Leads to the run by what tells it from others: its reason, or its template's name. */
function About({ run: { id, reason, pack, template } }: { run: Run }) {
  return (
    <Link to="/runs/$id" params={{ id }} title={`${reason ?? ''} ${id}`.trim()} className="font-medium hover:underline">
      <bdi>{reason ?? `${pack}/${template}`}</bdi>
    </Link>
  )
}

function Took({ run: { started_at, ended_at } }: { run: Run }) {
  const now = useNow()
  return elapsedText(started_at, ended_at ?? (started_at === undefined ? undefined : now))
}
