import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Asked } from '../../components/asked.tsx'
import { Button } from '../../components/button.tsx'
import { Time } from '../../components/facts.tsx'
import { FIELD, Field } from '../../components/field.tsx'
import { PlainTable } from '../../components/plain-table.tsx'
import { Empty } from '../../components/states.tsx'
import { Status } from '../../components/status.tsx'
import { ApiError } from '../../lib/api.ts'
import { TRIGGERS } from '../../strings/triggers.ts'
import { type InboxItem, inboxQuery } from './api.ts'
import { ReplayItem } from './replay-item.tsx'
import { SentBody } from './sent-body.tsx'

const words = TRIGGERS.inbox
const STATUSES = ['received', 'started', 'attached', 'unmatched', 'throttled', 'failed', 'replayed']

/** Deliveries to triggers, signed ingress included, and their outcome. */
export function InboxPart() {
  const [status, setStatus] = useState('')
  const inbox = useInfiniteQuery(inboxQuery(status))
  const { columns } = words
  if (inbox.error instanceof ApiError && inbox.error.status === 501) return <Empty>{words.off}</Empty>
  return (
    <>
      <div className="mb-3 max-w-48">
        <Field name={words.status}>
          <select className={FIELD} value={status} onChange={({ target }) => setStatus(target.value)}>
            <option value="">{words.any}</option>
            {STATUSES.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </Field>
      </div>
      <Asked query={inbox}>
        {({ pages }) => {
          const items = pages.flatMap((page) => page.items)
          if (items.length === 0) return <Empty>{words.empty}</Empty>
          return (
            <PlainTable
              label={TRIGGERS.parts.inbox}
              columns={[
                columns.at,
                columns.route,
                columns.source,
                columns.status,
                columns.attempts,
                columns.led,
                columns.change,
              ]}
              rows={items.map((item) => ({
                key: item.id,
                cells: [
                  <Time key="at" at={item.received_at} />,
                  <code key="route" className="break-all text-sm">
                    {item.route}
                  </code>,
                  item.source,
                  <Status key="status" of={item.status} />,
                  item.attempts,
                  <Led key="led" item={item} />,
                  <ReplayItem key="change" item={item} />,
                ],
              }))}
            />
          )
        }}
      </Asked>
      {inbox.hasNextPage && (
        <Button className="mt-3" onClick={() => void inbox.fetchNextPage()}>
          {TRIGGERS.more}
        </Button>
      )}
    </>
  )
}

function Led({ item }: { item: InboxItem }) {
  return (
    <>
      {item.run_id !== undefined && (
        <Link to="/runs/$id" params={{ id: item.run_id }} className="block break-all font-mono text-sm link">
          {item.run_id}
        </Link>
      )}
      {item.error !== undefined && <span className="text-destructive">{item.error.message}</span>}
      <SentBody item={item} />
    </>
  )
}
