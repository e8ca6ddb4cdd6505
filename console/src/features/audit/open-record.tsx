import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { Button } from '../../components/button.tsx'
import { Copyable } from '../../components/copyable.tsx'
import { Data, Facts, Time } from '../../components/facts.tsx'
import { RunLink } from '../../components/link.tsx'
import { type AuditRecord, canVerify, hashOf } from '../../lib/verify-slice.ts'
import { STRINGS } from '../../strings.ts'

const words = STRINGS.audit
const { columns } = STRINGS.slice

/** A record of the chain, all of it. */
export function OpenRecord({ record, onClose }: { record: AuditRecord; onClose: () => void }) {
  const { seq, hash, prev_hash, event } = record
  const computed = useQuery({
    queryKey: ['audit-hash', record],
    queryFn: () => hashOf(record),
    enabled: canVerify(),
  })
  const here = useRef<HTMLElement>(null)
  // it opens below its table, which may be as high as the screen
  useEffect(() => here.current?.scrollIntoView({ block: 'nearest' }), [])
  return (
    <section
      ref={here}
      aria-label={`${words.record} ${seq}`}
      className="mt-2 scroll-mt-16 scroll-mb-20 rounded-lg border bg-card p-4 print:hidden"
    >
      <p className="mb-2 flex flex-wrap items-baseline gap-x-4 gap-y-1">
        <b>
          {words.record} {seq}: {event.action}
        </b>
        <Button onClick={onClose} size="sm" className="ml-auto">
          {words.close}
        </Button>
      </p>
      <Facts
        rows={[
          [columns.time, <Time key="time" at={event.ts} />],
          [columns.actor, `${event.actor.type} ${event.actor.id} (${event.actor.auth})`],
          [columns.subject, `${event.subject.type} ${event.subject.id}`],
          [words.run, event.run_id && <RunLink key="run" id={event.run_id} />],
          [columns.hash, <Copyable key="hash" text={hash} />],
          ['prev_hash', <Copyable key="prev" text={prev_hash} />],
        ]}
      />
      {computed.data !== undefined && (
        <p className={`my-2 font-medium ${computed.data === hash ? 'text-success' : 'text-destructive'}`}>
          {computed.data === hash ? words.alone : words.alone_bad}
        </p>
      )}
      <Data value={event} />
    </section>
  )
}
