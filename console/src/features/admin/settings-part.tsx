import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Asked } from '../../components/asked.tsx'
import { FIELD, Field } from '../../components/field.tsx'
import { PlainTable } from '../../components/plain-table.tsx'
import { Empty } from '../../components/states.tsx'
import { usePhone } from '../../lib/use-media.ts'
import { ADMIN } from '../../strings/admin.ts'
import { type Setting, settingsQuery } from './api.ts'

const words = ADMIN.settings

/** The settings of the process that answers, read only. */
export function SettingsPart() {
  const [text, setText] = useState('')
  const isPhone = usePhone()
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
          return isPhone ? <Folded found={found} isSearch={typed !== ''} /> : <Table found={found} />
        }}
      </Asked>
    </>
  )
}

function Table({ found }: { found: readonly Setting[] }) {
  const { columns } = words
  return (
    <PlainTable
      label={ADMIN.parts.settings}
      columns={[columns.name, columns.value, columns.source, columns.meaning]}
      rows={found.map((setting) => ({
        key: setting.name,
        cells: [
          <code key="name" className="break-all text-sm">
            {setting.name}
          </code>,
          <Value key="value" of={setting} />,
          <span key="source" className={setting.source === 'env' ? 'font-medium' : 'text-muted-foreground'}>
            {words.sources[setting.source]}
          </span>,
          <Meaning key="meaning" of={setting} />,
        ],
      }))}
    />
  )
}

/** For a phone: what is set, then what is as it was delivered; each setting opens below its value. */
function Folded({ found, isSearch }: { found: readonly Setting[]; isSearch: boolean }) {
  return (['env', 'default'] as const).map((source) => {
    const list = found.filter((setting) => setting.source === source)
    if (list.length === 0) return null
    return (
      <details
        key={`${source} ${isSearch}`}
        open={isSearch || source === 'env'}
        className="mb-2 rounded-lg border px-3"
      >
        <summary className="cursor-pointer py-2.5 font-semibold">{words.by[source](list.length)}</summary>
        {list.map((setting) => (
          <details key={setting.name} className="border-t">
            <summary className="cursor-pointer py-2.5 text-sm">
              <code className="break-all">{setting.name}</code>{' '}
              <span className="text-muted-foreground">
                <Value of={setting} />
              </span>
            </summary>
            <p className="mb-3 text-sm">
              <Meaning of={setting} />
            </p>
          </details>
        ))}
      </details>
    )
  })
}

function Value({ of: { value } }: { of: Setting }) {
  return value === null ? (
    <span className="text-muted-foreground">{words.unset}</span>
  ) : (
    <code className="break-all text-sm">{value}</code>
  )
}

function Meaning({ of: { meaning, takes } }: { of: Setting }) {
  return (
    <span>
      {meaning} <span className="block text-sm text-muted-foreground">{words.takes(takes)}</span>
    </span>
  )
}
