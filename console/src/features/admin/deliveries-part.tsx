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
import { type Delivery, deliveriesQuery } from './api.ts'

const words = ADMIN.deliveries
const STATES = ['planned', 'delivered', 'retrying', 'failed', 'cancelled', 'folded']

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
              columns={[columns.about, columns.recipient, columns.state, columns.planned]}
              rows={notices.map((notice) => ({ key: notice.id, cells: cellsOf(notice) }))}
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

function cellsOf(notice: Delivery) {
  const { kind, run_id, reason, channel, recipient, state, attempts, last_error, next_attempt_at, planned_at } = notice
  return [
    <span key="about">
      {words.kinds[kind]}
      {run_id !== undefined && (
        <Link to="/runs/$id" params={{ id: run_id }} className="block link">
          <bdi>{reason ?? run_id}</bdi>
        </Link>
      )}
    </span>,
    <span key="recipient">
      <bdi>{recipient}</bdi> <span className="text-muted-foreground">{words.by(channel)}</span>
    </span>,
    <span key="state">
      <Status of={state} /> {attempts > 1 && words.attempts(attempts)}
      {last_error !== undefined && <span className="block">{last_error}</span>}
      {next_attempt_at !== undefined && (
        <span className="block text-muted-foreground">
          {words.next} <Time at={next_attempt_at} />
        </span>
      )}
    </span>,
    <Time key="planned" at={planned_at} />,
  ]
}
