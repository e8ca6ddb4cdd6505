import { useMutation, useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { auditAbout, auditActor } from '../../../../client/audit-text.ts'
import { Button } from '../../components/button.tsx'
import { Time } from '../../components/facts.tsx'
import { Part } from '../../components/part.tsx'
import { Empty, Failed } from '../../components/states.tsx'
import { type Column, VirtualTable } from '../../components/virtual-table.tsx'
import { saveFile } from '../../lib/save-file.ts'
import { usePhone } from '../../lib/use-media.ts'
import type { AuditRecord, SliceVerdict } from '../../lib/verify-slice.ts'
import { STRINGS } from '../../strings.ts'
import { readEvidenceFile } from '../run/api.ts'
import type { Run } from '../runs/api.ts'
import { checkpointQuery, MAX_OF_RUN, sliceQuery } from './api.ts'
import { Did, RecordCard } from './did.tsx'
import { nameIn } from './name-in.ts'
import { OpenRecord } from './open-record.tsx'
import { Verdict } from './verdict.tsx'

const words = STRINGS.slice
/** The last event gets its place in the chain a moment later. */
const SETTLING_MS = 60_000
const FRESH_MS = 5_000

/** The part of the audit chain that is about a run, verified from its records in this browser. */
export function AuditSlice({ run }: { run: Run }) {
  const settled = run.ended_at !== undefined && Date.now() - Date.parse(run.ended_at) > SETTLING_MS
  const slice = useQuery({ ...sliceQuery(run.id), refetchInterval: settled ? false : FRESH_MS })
  const checkpoint = useQuery(checkpointQuery)
  const [open, setOpen] = useState<AuditRecord>()
  const save = useMutation({
    mutationFn: async () => saveFile(await readEvidenceFile(run.id), `${run.id}.evidence.json`),
  })
  const verdict = slice.data?.verdict
  const isPhone = usePhone()
  const columns = useMemo(() => columnsFor(verdict ?? null, setOpen, isPhone), [verdict, isPhone])
  const again = () => void Promise.all([slice.refetch(), checkpoint.refetch()])
  const { data } = slice
  return (
    <Part
      id="record"
      title={words.title}
      aside={
        <>
          <Button onClick={again} disabled={slice.isFetching}>
            {words.again}
          </Button>
          <Button onClick={() => void save.mutate()} aria-disabled={save.isPending}>
            {STRINGS.run.evidence}
          </Button>
          <Button onClick={() => window.print()}>{words.print}</Button>
        </>
      }
    >
      {save.error !== null && <Failed error={save.error} />}
      {slice.isPending && <p role="status">{words.computing}</p>}
      {slice.error !== null && <Failed error={slice.error} again={again} />}
      {data?.records.length === 0 && <Empty>{words.none}</Empty>}
      {data !== undefined && data.records.length > 0 && (
        <>
          <Verdict count={data.records.length} verdict={data.verdict} checkpoint={checkpoint.data} />
          {data.cut && <p className="text-warning">{words.more(MAX_OF_RUN)}</p>}
          <VirtualTable label={words.table} columns={columns} items={data.records} keyOf={({ seq }) => seq} />
          {open !== undefined && <OpenRecord key={open.seq} record={open} onClose={() => setOpen(undefined)} />}
        </>
      )}
    </Part>
  )
}

function columnsFor(
  verdict: SliceVerdict | null,
  onOpen: (record: AuditRecord) => void,
  isPhone: boolean,
): Column<AuditRecord>[] {
  const { columns } = words
  const wrong = new Set(verdict?.faults.map(({ seq }) => seq))
  const check = ({ seq }: AuditRecord) => (verdict === null ? words.unknown : wrong.has(seq) ? words.wrong : words.good)
  const verified: Column<AuditRecord>[] = [
    {
      name: columns.seq,
      className: 'w-20',
      cell: (record) => (
        <button type="button" aria-label={words.open(record.seq)} onClick={() => onOpen(record)} className="link">
          {record.seq}
        </button>
      ),
    },
    {
      name: columns.check,
      className: 'w-24',
      cell: (record) => (
        <span className={wrong.has(record.seq) ? 'font-semibold text-destructive' : 'text-success'}>
          {check(record)}
        </span>
      ),
    },
  ]
  if (isPhone)
    return [
      { name: columns.action, className: '', wraps: true, cell: (record) => <RecordCard record={record} /> },
      ...verified,
    ]
  return [
    ...verified,
    { name: columns.action, className: 'w-52', cell: (record) => <Did record={record} /> },
    { name: columns.time, className: 'w-44 max-md:hidden', cell: ({ event }) => <Time at={event.ts} /> },
    { name: columns.actor, className: '', cell: (record) => nameIn(record, auditActor(record)) },
    { name: columns.subject, className: 'max-lg:hidden', cell: (record) => nameIn(record, auditAbout(record)) },
    {
      name: columns.hash,
      className: 'font-mono text-xs text-muted-foreground max-md:hidden print:table-cell',
      cell: ({ hash }) => hash,
    },
  ]
}
