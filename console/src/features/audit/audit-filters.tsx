import type { ReactNode } from 'react'
import type { Query } from '../../../../client/create-client.ts'
import { FilterBox } from '../../components/filter-box.tsx'
import { FilterField } from '../../components/filter-field.tsx'
import { allOf } from '../../lib/use-me.ts'
import { STRINGS } from '../../strings.ts'
import { type AuditFilter, type AuditSearch, FILTERS } from './search.ts'

const words = STRINGS.audit
const FIELD = 'mt-1 block w-full rounded border border-line bg-paper h-8 px-2 text-ink'
const CATEGORIES = allOf<NonNullable<Query<'/console/api/audit'>['category']>>({
  model_call: true,
  gated_operation: true,
  approval: true,
  policy_decision: true,
  lineage: true,
  expiry: true,
  ask: true,
  trigger: true,
  config: true,
  auth: true,
  admin: true,
  sink: true,
})

interface Props {
  search: AuditSearch
  onChange: (search: AuditSearch) => void
}

/** Every filter of the log. */
export function AuditFilters({ search, onChange }: Props) {
  const set = (name: AuditFilter, value: string) => {
    const { [name]: _before, ...rest } = search
    if ((search[name] ?? '') !== value) onChange(value === '' ? rest : { ...rest, [name]: value })
  }
  const control = (name: AuditFilter, place: number): ReactNode =>
    name === 'category' ? (
      <select
        className={FIELD}
        data-first-filter=""
        value={search.category ?? ''}
        onChange={({ target }) => set('category', target.value)}
      >
        <option value="">{words.any}</option>
        {CATEGORIES.map((value) => (
          <option key={value} value={value}>
            {value.replaceAll('_', ' ')}
          </option>
        ))}
      </select>
    ) : (
      <FilterField
        name={name}
        value={search[name] ?? ''}
        isFirst={place === 0}
        isTime={name === 'from' || name === 'to'}
        onSet={(value) => set(name, value)}
      />
    )
  return (
    <FilterBox
      label={words.filters}
      set={FILTERS.filter((name) => search[name] !== undefined).length}
      onClear={() => onChange({})}
      className="sm:grid-cols-3 xl:grid-cols-6"
    >
      {FILTERS.map((name, place) => (
        // biome-ignore lint/a11y/noLabelWithoutControl: the control is its child
        <label key={name} className="block text-soft">
          {words.fields[name]}
          {control(name, place)}
        </label>
      ))}
    </FilterBox>
  )
}
