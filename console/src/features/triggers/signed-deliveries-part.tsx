import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Asked } from '../../components/asked.tsx'
import { Button } from '../../components/button.tsx'
import { Time } from '../../components/facts.tsx'
import { FIELD, Field } from '../../components/field.tsx'
import { PlainTable } from '../../components/plain-table.tsx'
import { Empty } from '../../components/states.tsx'
import { Status } from '../../components/status.tsx'
import { TRIGGERS } from '../../strings/triggers.ts'
import { type DeliveryTrace, signedDeliveriesQuery, startersQuery } from './api.ts'

const words = TRIGGERS.deliveries

/** Signed webhooks, and the result of each stage. */
export function SignedDeliveriesPart() {
  const [ingress, setIngress] = useState('')
  const starters = useQuery(startersQuery)
  const deliveries = useInfiniteQuery(signedDeliveriesQuery(ingress))
  const known = starters.data?.ingress.map(({ pack, name }) => `${pack}/${name}`) ?? []
  const { columns } = words
  return (
    <>
      <p className="mb-3 max-w-prose text-muted-foreground">{words.intro}</p>
      <div className="mb-3 max-w-80">
        <Field name={words.ingress}>
          <select className={FIELD} value={ingress} onChange={({ target }) => setIngress(target.value)}>
            <option value="">{words.any}</option>
            {known.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </Field>
      </div>
      <Asked query={deliveries}>
        {({ pages }) => {
          const items = pages.flatMap((page) => page.items)
          if (items.length === 0) return <Empty>{words.empty}</Empty>
          return (
            <PlainTable
              label={TRIGGERS.parts.deliveries}
              columns={[columns.at, columns.ingress, columns.outcome, columns.stages]}
              rows={items.map((item) => ({
                key: item.delivery_id,
                cells: [
                  <Time key="at" at={item.received_at} />,
                  <span key="ingress" className="break-all">
                    {item.ingress}
                    <span className="block text-sm text-muted-foreground">{item.scheme}</span>
                    <code className="block text-sm text-muted-foreground">{item.delivery_id}</code>
                  </span>,
                  <Outcome key="outcome" item={item} />,
                  <DeliveryStages key="stages" item={item} />,
                ],
              }))}
            />
          )
        }}
      </Asked>
      {deliveries.hasNextPage && (
        <Button className="mt-3" onClick={() => void deliveries.fetchNextPage()}>
          {TRIGGERS.more}
        </Button>
      )}
    </>
  )
}

function Outcome({ item: { outcome, run_id } }: { item: DeliveryTrace }) {
  return (
    <>
      <Status of={outcome} />
      {run_id !== undefined && (
        <Link to="/runs/$id" params={{ id: run_id }} className="block break-all font-mono text-sm link">
          {run_id}
        </Link>
      )}
    </>
  )
}

const COLOURS = {
  passed: 'text-success',
  stopped: 'font-medium text-destructive',
  not_reached: 'text-muted-foreground',
  not_checked: 'text-muted-foreground',
  pending: 'font-medium text-warning',
  unknown: 'text-muted-foreground',
}

/** The stages of one delivery in order, each with its result and reason. */
function DeliveryStages({ item: { delivery_id, stages } }: { item: DeliveryTrace }) {
  return (
    <ol aria-label={words.stages_of(delivery_id)} className="text-sm">
      {stages.map(({ stage, result, detail }) => (
        <li key={stage} className="break-words">
          {words.stages[stage]}: <span className={COLOURS[result]}>{words.results[result]}</span>
          {result === 'not_checked' && ` ${stage === 'rules' ? words.recovery : words.no_time}`}
          {detail !== undefined && ` (${detail})`}
        </li>
      ))}
    </ol>
  )
}
