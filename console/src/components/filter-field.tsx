import { localTime } from '../lib/time.ts'

interface Props {
  name: string
  value: string
  /** focused by `/` */
  isFirst: boolean
  /** typed in the reader's zone, and in UTC in the address */
  isTime: boolean
  onSet: (value: string) => void
}

/** A text filter: applied when it loses focus or is submitted, so that half a word is not searched. */
export function FilterField({ name, value, isFirst, isTime, onSet }: Props) {
  const take = (typed: string) => onSet(isTime && typed !== '' ? new Date(typed).toISOString() : typed.trim())
  return (
    <input
      key={value}
      className="mt-1 block w-full rounded border border-line bg-paper h-8 px-2 text-ink"
      name={name}
      type={isTime ? 'datetime-local' : 'search'}
      defaultValue={isTime ? localTime(value) : value}
      maxLength={200}
      {...(isFirst ? { 'data-first-filter': '' } : {})}
      onBlur={({ target }) => take(target.value)}
      onKeyDown={({ key, currentTarget }) => key === 'Enter' && take(currentTarget.value)}
    />
  )
}
