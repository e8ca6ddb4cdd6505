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
import { ADMIN } from '../../strings/admin.ts'
import { deliveriesQuery } from './api.ts'

const words = ADMIN.deliveries
const STATES = ['planned', 'delivered', 'retrying', 'failed', 'cancelled']

/** The outcome of each notice to each recipient. */
export function DeliveriesPart() {
  const [state, setState] = useState('')
  const query = useInfiniteQuery(deliveriesQuery(state))
  const { columns } = words
  return (
    <>
      <div className="mb-3 max-w-48">
        <Field name={words.state}>
          <select className={FIELD} value={state} onChange={({ target }) => setState(target.value)}>
            <option value="">{words.any}</option>
            {STATES.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </Field>
      </div>
      <Asked query={query}>
        {({ pages }) => {
          const notices = pages.flatMap(({ items }) => items)
          if (notices.length === 0) return <Empty>{words.empty}</Empty>
          return (
            <PlainTable
              label={ADMIN.parts.deliveries}
              columns={[
                columns.planned,
                columns.channel,
                columns.recipient,
                columns.kind,
                columns.state,
                columns.attempts,
                columns.error,
                columns.run,
              ]}
              rows={notices.map((notice) => ({
                key: notice.id,
                cells: [
                  <Time key="planned" at={notice.planned_at} />,
                  notice.channel,
                  notice.recipient,
                  notice.kind,
                  <Status key="state" of={notice.state} />,
                  notice.attempts,
                  <span key="error">
                    {notice.last_error}
                    {notice.next_attempt_at !== undefined && (
                      <span className="block text-sm text-muted-foreground">
                        {words.next} <Time at={notice.next_attempt_at} />
                      </span>
                    )}
                  </span>,
                  notice.run_id !== undefined && (
                    <Link
                      key="run"
                      to="/runs/$id"
                      params={{ id: notice.run_id }}
                      className="break-all font-mono text-sm link"
                    >
                      {notice.run_id}
                    </Link>
                  ),
                ],
              }))}
            />
          )
        }}
      </Asked>
      {query.hasNextPage && (
        <Button className="mt-3" onClick={() => void query.fetchNextPage()}>
          {ADMIN.more}
        </Button>
      )}
    </>
  )
}
