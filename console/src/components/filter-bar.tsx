import { ListFilter, X } from 'lucide-react'
import { useId, useState } from 'react'
import { cn } from '../lib/cn.ts'
import { localTime } from '../lib/time.ts'
import { STRINGS } from '../strings.ts'
import { Button } from './button.tsx'
import { FIELD, Field } from './field.tsx'
import { SearchField } from './search-field.tsx'

const words = STRINGS.filters

type Values<Name extends string> = Partial<Record<Name, string>>

export interface Filter<Name extends string> {
  name: Name
  label: string
  /** `search` is the field that is always there; `toggle` is a chip that is always there */
  kind?: 'search' | 'toggle' | 'time'
  /** searched while it is typed: half a word finds something */
  live?: true
  choices?: readonly string[]
  /** choices that people call otherwise */
  names?: Readonly<Record<string, string>>
}

interface Props<Name extends string> {
  filters: readonly Filter<Name>[]
  values: Values<Name>
  /** `replace`: of what is still being typed, no step to go back to */
  onChange: (values: Values<Name>, replace?: boolean) => void
}

/** A search, chips for what is set, and a panel with every other filter. */
export function FilterBar<Name extends string>({ filters, values, onChange }: Props<Name>) {
  const id = useId()
  const [open, setOpen] = useState(false)
  const set = (name: Name, value: string, replace?: boolean) => {
    const { [name]: before = '', ...rest } = values
    if (before !== value) onChange((value === '' ? rest : { ...rest, [name]: value }) as Values<Name>, replace)
  }
  const search = filters.find(({ kind }) => kind === 'search')
  const toggles = filters.filter(({ kind }) => kind === 'toggle')
  const others = filters.filter(({ kind }) => kind === undefined || kind === 'time')
  const chips = others.filter(({ name }) => values[name] !== undefined)
  const count = filters.filter(({ name }) => values[name] !== undefined).length
  return (
    <form
      aria-label={words.label}
      onSubmit={(event) => event.preventDefault()}
      className="mb-4 flex flex-wrap items-center gap-2 text-sm print:hidden"
    >
      {search !== undefined && (
        <SearchField
          // a field that searches as one types stays, whatever the address says
          key={search.live ? '' : values[search.name]}
          name={search.name}
          value={values[search.name] ?? ''}
          label={search.label}
          isLive={search.live === true}
          onSet={(value) => set(search.name, value, search.live)}
        />
      )}
      {/* one row on a phone, which a finger moves */}
      <div className="flex min-w-0 flex-wrap items-center gap-2 max-sm:relative max-sm:w-0 max-sm:min-w-full max-sm:flex-nowrap max-sm:overflow-x-auto max-sm:*:shrink-0">
        {toggles.map(({ name, label: text }) => (
          <Button
            key={name}
            size="sm"
            aria-pressed={values[name] === 'true'}
            onClick={() => set(name, values[name] === 'true' ? '' : 'true')}
            className="rounded-full aria-pressed:border-primary aria-pressed:bg-info-soft aria-pressed:text-info"
          >
            {text}
          </Button>
        ))}
        <Button size="sm" aria-expanded={open} aria-controls={id} onClick={() => setOpen(!open)}>
          <ListFilter aria-hidden className="size-4" />
          {words.open(chips.length)}
        </Button>
        {chips.map(({ name, label: text, ...filter }) => (
          <Button
            key={name}
            size="sm"
            onClick={() => set(name, '')}
            className="max-w-72 rounded-full border-primary bg-info-soft text-info"
          >
            <span className="truncate">
              {text}: {shownValue(values[name] ?? '', filter)}
            </span>
            <span className="sr-only">{words.remove(text)}</span>
            <X aria-hidden className="size-3.5 shrink-0" />
          </Button>
        ))}
        {count > 0 && (
          <Button size="sm" variant="ghost" onClick={() => onChange({})}>
            {words.clear}
          </Button>
        )}
      </div>
      <div
        id={id}
        className={cn(
          'w-full grid-cols-2 gap-3 rounded-lg border bg-card p-4 sm:grid-cols-3 xl:grid-cols-5',
          open ? 'grid' : 'hidden',
        )}
      >
        {others.map(({ name, label: text, kind, choices, names }) => (
          <Field key={name} name={text}>
            {choices === undefined ? (
              <TypedField
                name={name}
                value={values[name] ?? ''}
                isTime={kind === 'time'}
                onSet={(value) => set(name, value)}
              />
            ) : (
              <select
                name={name}
                className={FIELD}
                value={values[name] ?? ''}
                onChange={({ target }) => set(name, target.value)}
              >
                <option value="">{words.any}</option>
                {choices.map((value) => (
                  <option key={value} value={value}>
                    {shownValue(value, { kind, names })}
                  </option>
                ))}
              </select>
            )}
          </Field>
        ))}
      </div>
    </form>
  )
}

const shownValue = (value: string, { kind, names }: { [Key in 'kind' | 'names']?: Filter<string>[Key] | undefined }) =>
  kind === 'time' ? localTime(value).replace('T', ' ') : (names?.[value] ?? value.replaceAll('_', ' '))

interface TypedProps {
  name: string
  value: string
  /** typed in the reader's zone, and in UTC in the address */
  isTime: boolean
  onSet: (value: string) => void
}

/** A text filter: applied when it loses focus or is submitted, because it takes whole words. */
function TypedField({ name, value, isTime, onSet }: TypedProps) {
  const take = (typed: string) => onSet(isTime && typed !== '' ? new Date(typed).toISOString() : typed.trim())
  return (
    <input
      key={value}
      className={FIELD}
      name={name}
      type={isTime ? 'datetime-local' : 'search'}
      defaultValue={isTime ? localTime(value) : value}
      maxLength={200}
      onBlur={({ target }) => take(target.value)}
      onKeyDown={({ key, currentTarget }) => key === 'Enter' && take(currentTarget.value)}
    />
  )
}
