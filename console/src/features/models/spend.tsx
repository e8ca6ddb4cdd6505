import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import type { Schema } from '../../../../client/create-client.ts'
import { Asked } from '../../components/asked.tsx'
import { FIELD, Field } from '../../components/field.tsx'
import { RunLink } from '../../components/link.tsx'
import { PlainTable } from '../../components/plain-table.tsx'
import { Empty } from '../../components/states.tsx'
import { MODELS } from '../../strings/models.ts'
import { type SpendWindow, spendQuery } from './api.ts'

const words = MODELS.spend
const WINDOWS = Object.keys(words.windows) as SpendWindow[]

/** The cost of model calls here, and the refused ones. */
export function Spend() {
  const [window, setWindow] = useState<SpendWindow>('7d')
  return (
    <>
      <div className="mb-3 max-w-48">
        <Field name={words.window}>
          <select
            className={FIELD}
            value={window}
            onChange={({ target }) => setWindow(WINDOWS.find((each) => each === target.value) ?? window)}
          >
            {WINDOWS.map((each) => (
              <option key={each} value={each}>
                {words.windows[each]}
              </option>
            ))}
          </select>
        </Field>
      </div>
      <Asked query={useQuery(spendQuery(window))}>{(summary) => <Sums summary={summary} />}</Asked>
    </>
  )
}

function Sums({ summary }: { summary: Schema<'GatewaySummary'> }) {
  const { totals, open, complete, refusals } = summary
  const { columns } = words
  return (
    <>
      <p role="status" className="font-medium">
        {words.total(totals.calls, totals.usd)}
      </p>
      {!complete && <p className="text-warning">{words.incomplete}</p>}
      {open.calls > 0 && <p>{words.open(open.calls, open.reserved_usd)}</p>}
      {totals.overrun_usd > 0 && <p className="text-destructive">{words.overrun(totals.overrun_usd)}</p>}
      {totals.calls === 0 && refusals.length === 0 && <Empty>{words.none}</Empty>}
      <div className="grid gap-6 lg:grid-cols-2">
        <Spent
          title={words.by_day}
          column={columns.day}
          rows={summary.by_day.map(({ day, ...rest }) => ({ key: day, name: day, ...rest }))}
        />
        <Spent
          title={words.by_model}
          column={columns.model}
          rows={summary.by_model.map(({ model, ...rest }) => ({ key: model, name: model, ...rest }))}
        />
        <Spent
          title={words.by_run}
          column={columns.run}
          rows={summary.by_run.map(({ run_id, ...rest }) => ({
            key: run_id ?? '',
            name: run_id === undefined ? words.no_run : <RunLink id={run_id} />,
            ...rest,
          }))}
        />
        <Spent
          title={words.by_person}
          column={columns.person}
          rows={summary.by_person.map(({ person, name, key_id, key_name, ...rest }) => ({
            key: `${person} ${key_id ?? ''}`,
            name: [name ?? person, key_id === undefined ? '' : words.key(key_name ?? key_id)]
              .filter(Boolean)
              .join(', '),
            ...rest,
          }))}
        />
      </div>
      {refusals.length > 0 && (
        <section className="mt-4">
          <h3 className="font-semibold">{words.refusals}</h3>
          <PlainTable
            label={words.refusals}
            columns={[columns.code, columns.count]}
            rows={refusals.map(({ code, count }) => ({ key: code, cells: [code, count] }))}
          />
        </section>
      )}
    </>
  )
}

interface SpentProps {
  title: string
  column: string
  rows: readonly { key: string; name: ReactNode; calls: number; usd: number }[]
}

function Spent({ title, column, rows }: SpentProps) {
  if (rows.length === 0) return null
  return (
    <section className="min-w-0">
      <h3 className="font-semibold">{title}</h3>
      <PlainTable
        label={title}
        columns={[column, words.columns.calls, words.columns.usd]}
        rows={rows.map(({ key, name, calls, usd }) => ({ key, cells: [name, calls, usd] }))}
      />
    </section>
  )
}
