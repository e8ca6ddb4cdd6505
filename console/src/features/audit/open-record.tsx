import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { auditAbout, auditAction, auditActor, auditOutcome } from '../../../../client/audit-text.ts'
import { Button } from '../../components/button.tsx'
import { Copyable } from '../../components/copyable.tsx'
import { Data, Facts, Time } from '../../components/facts.tsx'
import { RunLink } from '../../components/link.tsx'
import { type AuditRecord, canVerify, hashOf } from '../../lib/verify-slice.ts'
import { STRINGS } from '../../strings.ts'
import { nameIn } from './name-in.ts'

const words = STRINGS.audit
const { columns } = STRINGS.slice

/** A record of the chain, all of it. */
export function OpenRecord({ record, onClose }: { record: AuditRecord; onClose: () => void }) {
  const { seq, hash, prev_hash, event } = record
  const { actor, subject } = event
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
          {words.record} {seq}: {auditAction(record)}
        </b>
        <Button onClick={onClose} size="sm" className="ml-auto">
          {words.close}
        </Button>
      </p>
      <Facts
        rows={[
          [columns.time, <Time key="time" at={event.ts} />],
          [words.action, event.action],
          [
            columns.actor,
            <Named
              key="actor"
              text={nameIn(record, auditActor(record))}
              id={`${actor.type} ${actor.id} (${actor.auth})`}
            />,
          ],
          [
            columns.subject,
            <Named key="subject" text={nameIn(record, auditAbout(record))} id={`${subject.type} ${subject.id}`} />,
          ],
          [
            words.what,
            <bdi key="what" className="whitespace-pre-wrap">
              {nameIn(record, auditOutcome(record))}
            </bdi>,
          ],
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

/** In words, with what the record has beneath. */
function Named({ text, id }: { text: string; id: string }) {
  return (
    <>
      <bdi>{text}</bdi>
      <span className="block text-muted-foreground text-xs">{id}</span>
    </>
  )
}
