import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback } from 'react'
import { buttonClasses } from '../../components/button.tsx'
import { Time } from '../../components/facts.tsx'
import { FilterBar } from '../../components/filter-bar.tsx'
import { Count, PageHeader } from '../../components/page-header.tsx'
import { Empty, Failed, Loading } from '../../components/states.tsx'
import { Status } from '../../components/status.tsx'
import { type Column, VirtualTable } from '../../components/virtual-table.tsx'
import { ownSearch } from '../../lib/read-search.ts'
import { visibleLine } from '../../lib/text.ts'
import { useListKeys } from '../../lib/use-list-keys.ts'
import { useMe } from '../../lib/use-me.ts'
import { PIPELINES } from '../../strings/pipelines.ts'
import { useFilterChoices } from '../policies/use-filter-choices.ts'
import { type Pipeline, pipelinesQuery } from './api.ts'
import { PIPELINE_FILTERS } from './filters.ts'

/** The pipelines of the workspace, newest first. */
export function PipelinesPage() {
  const search = useSearch({ from: '/pipelines', select: ownSearch })
  const navigate = useNavigate({ from: '/pipelines' })
  const me = useMe()
  const choices = useFilterChoices(PIPELINE_FILTERS, search)
  const { data, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = useInfiniteQuery(
    pipelinesQuery(search),
  )
  const pipelines = data?.pages.flatMap((page) => page.pipelines) ?? []
  const marked = useListKeys(pipelines, ({ id }) => void navigate({ to: '/pipelines/$id', params: { id } }))
  const onEnd = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage()
  }, [hasNextPage, isFetchingNextPage, fetchNextPage])
  const isFiltered = Object.keys(search).length > 0
  return (
    <>
      <PageHeader
        title={PIPELINES.title}
        aside={<Count of={data?.pages[0]} words={PIPELINES} />}
        actions={
          me.isOperator && (
            <Link to="/start-pipeline" className={buttonClasses({ variant: 'default' })}>
              {PIPELINES.start_one}
            </Link>
          )
        }
      />
      <FilterBar
        filters={choices}
        values={search}
        onChange={(changed) => void navigate({ to: '/pipelines', search: changed })}
      />
      {isPending && <Loading />}
      {error !== null && <Failed error={error} again={() => void refetch()} />}
      {data !== undefined && pipelines.length === 0 && <Empty>{isFiltered ? PIPELINES.empty : PIPELINES.none}</Empty>}
      {pipelines.length > 0 && (
        <VirtualTable
          label={PIPELINES.title}
          columns={COLUMNS}
          items={pipelines}
          keyOf={({ id }) => id}
          marked={marked}
          onEnd={onEnd}
        />
      )}
      {isFetchingNextPage && <p role="status">{PIPELINES.more}</p>}
    </>
  )
}

const { columns } = PIPELINES

/** The steps that are under way, by name. */
function waitsFor({ steps }: Pipeline): string {
  const open = ['waiting_timer', 'waiting_event', 'ready', 'awaiting_approval', 'running']
  return steps
    .filter(({ state }) => open.includes(state))
    .map(({ title, state }) => `${visibleLine(title)} (${state.replaceAll('_', ' ')})`)
    .join(', ')
}

const COLUMNS: Column<Pipeline>[] = [
  { name: columns.status, className: 'w-32', cell: ({ status }) => <Status of={status} /> },
  { name: columns.name, className: '', cell: ({ name }) => name },
  { name: columns.waits, className: 'max-md:hidden', cell: waitsFor },
  { name: columns.environment, className: 'w-36 max-lg:hidden', cell: ({ environment }) => environment },
  { name: columns.created, className: 'w-44 max-md:hidden', cell: ({ created_at }) => <Time at={created_at} /> },
  {
    name: columns.id,
    className: 'w-20 sm:w-72',
    cell: ({ id }) => (
      <Link to="/pipelines/$id" params={{ id }} className="break-all font-mono text-sm link">
        {id}
      </Link>
    ),
  },
]
