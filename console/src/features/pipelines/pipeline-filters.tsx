import { FIELD, Field } from '../../components/field.tsx'
import { PIPELINES } from '../../strings/pipelines.ts'
import type { PipelinesSearch } from './search.ts'

const { filters } = PIPELINES
const STATUSES = ['queued', 'running', 'blocked', 'succeeded', 'failed', 'rejected', 'cancelled']

interface Props {
  search: PipelinesSearch
  onChange: (search: PipelinesSearch) => void
}

export function PipelineFilters({ search, onChange }: Props) {
  const change = (name: keyof PipelinesSearch, value: string) => {
    const { [name]: _before, ...rest } = search
    onChange(value === '' ? rest : { ...rest, [name]: value })
  }
  return (
    <form
      aria-label={PIPELINES.title}
      className="mb-3 grid max-w-3xl gap-3 sm:grid-cols-3"
      onSubmit={(event) => event.preventDefault()}
    >
      <Field name={filters.status}>
        <select
          className={FIELD}
          data-first-filter=""
          value={search.status ?? ''}
          onChange={({ target }) => change('status', target.value)}
        >
          <option value="">{filters.any}</option>
          {STATUSES.map((status) => (
            <option key={status}>{status}</option>
          ))}
        </select>
      </Field>
      {(['name', 'environment'] as const).map((name) => (
        <Field key={name} name={filters[name]}>
          <input
            className={FIELD}
            maxLength={200}
            value={search[name] ?? ''}
            onChange={({ target }) => change(name, target.value)}
          />
        </Field>
      ))}
    </form>
  )
}
