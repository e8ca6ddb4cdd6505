import type { Query } from '../../../../client/create-client.ts'
import { FilterBox } from '../../components/filter-box.tsx'
import { allOf } from '../../lib/use-me.ts'
import { STRINGS } from '../../strings.ts'
import { FILTERS, type GateFilter, type GatesSearch } from './search.ts'

const words = STRINGS.gates
const FIELD = 'mt-1 block w-full rounded border border-line bg-paper h-8 px-2 text-ink'
const RISKS = allOf<NonNullable<Query<'/approvals'>['risk']>>({ low: true, medium: true, high: true })

interface Props {
  search: GatesSearch
  onChange: (search: GatesSearch) => void
}

/** Filters of the queue. A change shows its first page. */
export function GateFilters({ search, onChange }: Props) {
  const set = (name: GateFilter, value: string) => {
    const { cursor: _page, [name]: before = '', ...rest } = search
    if (before !== value) onChange(value === '' ? rest : { ...rest, [name]: value })
  }
  return (
    <FilterBox
      label={words.filters}
      set={FILTERS.filter((name) => search[name] !== undefined).length}
      onClear={() => onChange({})}
      className="sm:grid-cols-5"
    >
      <label className="flex items-center gap-2 py-1 text-soft">
        <input
          type="checkbox"
          data-first-filter=""
          className="size-4"
          checked={search.awaiting_me === 'true'}
          onChange={({ target }) => set('awaiting_me', target.checked ? 'true' : '')}
        />
        {words.fields.awaiting_me}
      </label>
      <label className="block text-soft">
        {words.fields.risk}
        <select className={FIELD} value={search.risk ?? ''} onChange={({ target }) => set('risk', target.value)}>
          <option value="">{words.any}</option>
          {RISKS.map((risk) => (
            <option key={risk} value={risk}>
              {risk}
            </option>
          ))}
        </select>
      </label>
      {(['environment', 'template'] as const).map((name) => (
        <label key={name} className="block text-soft">
          {words.fields[name]}
          <input
            key={search[name] ?? ''}
            type="search"
            className={FIELD}
            maxLength={200}
            defaultValue={search[name] ?? ''}
            onBlur={({ target }) => set(name, target.value.trim())}
            onKeyDown={({ key, currentTarget }) => key === 'Enter' && set(name, currentTarget.value.trim())}
          />
        </label>
      ))}
    </FilterBox>
  )
}
