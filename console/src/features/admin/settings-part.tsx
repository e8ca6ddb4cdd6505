import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Asked } from '../../components/asked.tsx'
import { FIELD, Field } from '../../components/field.tsx'
import { PlainTable } from '../../components/plain-table.tsx'
import { Empty } from '../../components/states.tsx'
import { ADMIN } from '../../strings/admin.ts'
import { settingsQuery } from './api.ts'

const words = ADMIN.settings

/** The settings of the process that answers, read only. */
export function SettingsPart() {
  const [text, setText] = useState('')
  const { columns } = words
  const typed = text.trim().toLowerCase()
  return (
    <>
      <p className="mb-3 max-w-prose text-muted-foreground">{words.intro}</p>
      <div className="mb-3 max-w-sm">
        <Field name={words.search}>
          <input
            className={FIELD}
            type="search"
            data-first-filter=""
            value={text}
            maxLength={200}
            onChange={({ target }) => setText(target.value)}
          />
        </Field>
      </div>
      <Asked query={useQuery(settingsQuery)}>
        {(settings) => {
          const found = settings.filter(({ name, meaning }) => `${name} ${meaning}`.toLowerCase().includes(typed))
          if (found.length === 0) return <Empty>{words.empty}</Empty>
          return (
            <PlainTable
              label={ADMIN.parts.settings}
              columns={[columns.name, columns.value, columns.source, columns.meaning]}
              rows={found.map(({ name, value, source, takes, meaning }) => ({
                key: name,
                cells: [
                  <code key="name" className="break-all text-sm">
                    {name}
                  </code>,
                  value === null ? (
                    <span key="value" className="text-muted-foreground">
                      {words.unset}
                    </span>
                  ) : (
                    <code key="value" className="break-all text-sm">
                      {value}
                    </code>
                  ),
                  <span key="source" className={source === 'env' ? 'font-medium' : 'text-muted-foreground'}>
                    {words.sources[source]}
                  </span>,
                  <span key="meaning">
                    {meaning} <span className="block text-sm text-muted-foreground">{words.takes(takes)}</span>
                  </span>,
                ],
              }))}
            />
          )
        }}
      </Asked>
    </>
  )
}
