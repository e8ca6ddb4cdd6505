import type { ReactNode } from 'react'
import type { Query, Schema } from '../../../../client/create-client.ts'
import { FilterBox } from '../../components/filter-box.tsx'
import { FilterField } from '../../components/filter-field.tsx'
import { allOf } from '../../lib/use-me.ts'
import { STRINGS } from '../../strings.ts'
import { FILTERS, type Filter, type RunsSearch } from './search.ts'

const words = STRINGS.runs
const FIELD = 'mt-1 block w-full rounded border border-line bg-paper h-8 px-2 text-ink'

const CHOICES: Partial<Record<Filter, readonly string[]>> = {
  status: allOf<Schema<'RunStatus'>>({
    queued: true,
    running: true,
    awaiting_approval: true,
    cancelling: true,
    succeeded: true,
    failed: true,
    rejected: true,
    cancelled: true,
    expired: true,
  }),
  lane: allOf<Schema<'Lane'>>({ realtime: true, background: true }),
  trigger: allOf<NonNullable<Query<'/runs'>['trigger']>>({
    alert: true,
    pattern: true,
    manual: true,
    schedule: true,
    ingress: true,
    pipeline: true,
    bus: true,
    direct: true,
    ask: true,
    replay: true,
  }),
  awaiting_me: ['true'],
}

interface Props {
  search: RunsSearch
  onChange: (search: RunsSearch) => void
}

/** Every filter of `GET /runs`. */
export function RunFilters({ search, onChange }: Props) {
  const set = (name: Filter, value: string) => {
    const { [name]: _before, ...rest } = search
    if ((search[name] ?? '') !== value) onChange(value === '' ? rest : { ...rest, [name]: value })
  }
  return (
    <FilterBox
      label={words.filters}
      set={FILTERS.filter((name) => search[name] !== undefined).length}
      onClear={() => onChange({})}
      className="sm:grid-cols-4 xl:grid-cols-6"
    >
      {FILTERS.map((name, place) => (
        <Field key={name} name={name}>
          {CHOICES[name] === undefined ? (
            <FilterField
              name={name}
              value={search[name] ?? ''}
              isFirst={place === 0}
              isTime={name === 'since' || name === 'until'}
              onSet={(value) => set(name, value)}
            />
          ) : (
            <select
              className={FIELD}
              name={name}
              value={search[name] ?? ''}
              onChange={({ target }) => set(name, target.value)}
            >
              <option value="">{words.any}</option>
              {CHOICES[name].map((value) => (
                <option key={value} value={value}>
                  {value.replaceAll('_', ' ')}
                </option>
              ))}
            </select>
          )}
        </Field>
      ))}
    </FilterBox>
  )
}

function Field({ name, children }: { name: Filter; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is its child
    <label className="block text-soft">
      {words.fields[name]}
      {children}
    </label>
  )
}
