import { auditAction } from '../../../../client/audit-text.ts'
import type { AuditRecord } from '../../lib/verify-slice.ts'

/** What happened, with the name of the action beneath. */
export function Did({ record }: { record: AuditRecord }) {
  return (
    <>
      {auditAction(record)}
      <span className="block truncate text-muted-foreground text-xs">{record.event.action}</span>
    </>
  )
}
