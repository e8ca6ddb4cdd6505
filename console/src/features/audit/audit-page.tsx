import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback, useMemo, useState } from 'react'
import { auditAbout, auditActor, auditOutcome } from '../../../../client/audit-text.ts'
import type { Schema } from '../../../../client/create-client.ts'
import { Button } from '../../components/button.tsx'
import { Copyable } from '../../components/copyable.tsx'
import { Time } from '../../components/facts.tsx'
import { FilterBar } from '../../components/filter-bar.tsx'
import { Count, PageHeader } from '../../components/page-header.tsx'
import { Empty, Failed, Loading } from '../../components/states.tsx'
import { type Column, VirtualTable } from '../../components/virtual-table.tsx'
import { ownSearch } from '../../lib/read-search.ts'
import { saveFile } from '../../lib/save-file.ts'
import { useListKeys } from '../../lib/use-list-keys.ts'
import { usePhone } from '../../lib/use-media.ts'
import { useTitle } from '../../lib/use-title.ts'
import type { AuditRecord } from '../../lib/verify-slice.ts'
import { STRINGS } from '../../strings.ts'
import { Fold } from '../gates/block.tsx'
import { auditQuery, checkpointQuery, readCsv } from './api.ts'
import { Did, RecordCard } from './did.tsx'
import type { AuditSearch } from './filters.ts'
import { AUDIT_FILTERS } from './filters.ts'
import { nameIn } from './name-in.ts'
import { OpenRecord } from './open-record.tsx'

const words = STRINGS.audit

/** The audit log of the workspace, newest first. */
export function AuditPage() {
  useTitle(words.title)
  const search = useSearch({ from: '/audit', select: ownSearch })
  const navigate = useNavigate({ from: '/audit' })
  const list = useInfiniteQuery(auditQuery(search))
  const [open, setOpen] = useState<AuditRecord>()
  const records = useMemo(() => list.data?.pages.flatMap((page) => page.records) ?? [], [list.data])
  const isPhone = usePhone()
  const columns = useMemo(() => columnsFor(setOpen, isPhone), [isPhone])
  const marked = useListKeys(records, setOpen)
  const { hasNextPage, isFetching, fetchNextPage, error } = list
  const onEnd = useCallback(() => {
    if (hasNextPage && !isFetching) void fetchNextPage()
  }, [hasNextPage, isFetching, fetchNextPage])
  const [first] = list.data?.pages ?? []
  const checkpoint = useQuery(checkpointQuery)
  // what comes later would move what somebody is about to press
  if (checkpoint.isPending) return <Loading />
  return (
    <>
      <PageHeader title={words.title} aside={<Count of={first} words={words} />} actions={<Csv search={search} />} />
      {checkpoint.data !== undefined && <Checkpoint of={checkpoint.data} />}
      <FilterBar
        filters={AUDIT_FILTERS}
        values={search}
        onChange={(changed, replace = false) => void navigate({ search: changed, replace })}
      />
      {list.isPending && <Loading />}
      {error !== null && <Failed error={error} again={() => void list.refetch()} />}
      {error === null && !list.isPending && records.length === 0 && <Empty>{words.empty}</Empty>}
      {records.length > 0 && (
        <VirtualTable
          label={words.title}
          columns={columns}
          items={records}
          keyOf={({ seq }) => seq}
          marked={marked}
          onEnd={onEnd}
        />
      )}
      {list.isFetchingNextPage && <p role="status">{words.more}</p>}
      {open !== undefined && <OpenRecord key={open.seq} record={open} onClose={() => setOpen(undefined)} />}
    </>
  )
}

function Csv({ search }: { search: AuditSearch }) {
  const download = useMutation({
    mutationFn: () => readCsv(search),
    onSuccess: (content) => saveFile(content, 'audit.csv'),
  })
  return (
    <span>
      <Button disabled={download.isPending} onClick={() => download.mutate()} size="sm">
        {download.isPending ? words.csv_busy : words.csv}
      </Button>
      {download.error !== null && <Failed error={download.error} />}
    </span>
  )
}

/** The end of the chain, to be noted elsewhere; a phone folds the hash. */
function Checkpoint({ of: { seq, hash, checked, problem } }: { of: Schema<'AuditCheckpoint'> }) {
  const head = words.head(String(seq))
  const about = (
    <>
      <p className="text-muted-foreground">{words.keep}</p>
      {checked !== undefined && (
        <p className="text-muted-foreground">
          {words.checked(String(checked.seq))} <Time at={checked.at} />
        </p>
      )}
    </>
  )
  return (
    <div className="mb-4 space-y-1 text-sm">
      {usePhone() ? (
        <Fold summary={head}>
          <Copyable text={hash} />
          {about}
        </Fold>
      ) : (
        <>
          <p className="break-words">
            {head} <Copyable text={hash} />
          </p>
          {about}
        </>
      )}
      {problem !== undefined && (
        <p role="alert" className="font-medium text-destructive">
          {words.problem(String(problem.seq))} {problem.detail}
        </p>
      )}
    </div>
  )
}

function columnsFor(onOpen: (record: AuditRecord) => void, isPhone: boolean): Column<AuditRecord>[] {
  const { columns, open } = STRINGS.slice
  const seq: Column<AuditRecord> = {
    name: columns.seq,
    className: 'w-20',
    cell: (record) => (
      <button type="button" aria-label={open(record.seq)} onClick={() => onOpen(record)} className="link tap">
        {record.seq}
      </button>
    ),
  }
  if (isPhone)
    return [{ name: columns.action, className: '', wraps: true, cell: (record) => <RecordCard record={record} /> }, seq]
  return [
    seq,
    { name: columns.time, className: 'w-44', cell: ({ event }) => <Time at={event.ts} /> },
    { name: words.fields.category, className: 'w-36 max-[1400px]:hidden', cell: ({ event }) => event.category },
    { name: columns.action, className: 'w-52', cell: (record) => <Did record={record} /> },
    { name: columns.actor, className: 'w-40', cell: (record) => nameIn(record, auditActor(record)) },
    { name: columns.subject, className: 'max-md:hidden', cell: (record) => nameIn(record, auditAbout(record)) },
    { name: words.what, className: 'w-36 max-lg:hidden', cell: (record) => nameIn(record, auditOutcome(record)) },
  ]
}
