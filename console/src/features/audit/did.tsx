import { auditAbout, auditAction, auditActor } from '../../../../client/audit-text.ts'
import { Time } from '../../components/facts.tsx'
import type { AuditRecord } from '../../lib/verify-slice.ts'
import { nameIn } from './name-in.ts'

interface Props {
  record: AuditRecord
}

/** What happened, with the name of the action beneath. */
export function Did({ record }: Props) {
  return (
    <>
      {auditAction(record)}
      <span className="block truncate text-muted-foreground text-xs">{record.event.action}</span>
    </>
  )
}

/** A record on a phone: what was done, who did it and when, and what it is about. */
export function RecordCard({ record }: Props) {
  return (
    <>
      <span className="block font-medium">{auditAction(record)}</span>
      <span className="block">
        <bdi>{nameIn(record, auditActor(record))}</bdi> · <Time at={record.event.ts} />
      </span>
      <bdi className="line-clamp-2 text-muted-foreground">{nameIn(record, auditAbout(record))}</bdi>
    </>
  )
}
