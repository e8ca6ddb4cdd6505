import { Search } from 'lucide-react'
import { useCallback, useEffect, useRef, useState } from 'react'
import { cn } from '../lib/cn.ts'
import { FIELD } from './field.tsx'

/** so long nothing is typed before a live search is applied */
const TYPING_MS = 250

interface Props {
  name: string
  value: string
  label: string
  isLive: boolean
  onSet: (value: string) => void
}

/** The search of a list. The address gets what is typed, and may be slower than the next letter. A live one is applied once nothing was typed for a moment; Enter applies it at once. */
export function SearchField({ name, value, label, isLive, onSet }: Props) {
  const [typed, setTyped] = useState(value)
  const set = useRef(onSet)
  // what this field has put into the address, which comes back later than the next letter
  const sent = useRef<string[]>([])
  useEffect(() => {
    set.current = onSet
  })
  const send = useCallback(
    (text: string) => {
      const next = text.trim()
      if (next === (sent.current.at(-1) ?? value)) return
      sent.current.push(next)
      set.current(next)
    },
    [value],
  )
  useEffect(() => {
    const at = sent.current.indexOf(value)
    sent.current.splice(0, at + 1)
    if (at < 0) setTyped(value)
  }, [value])
  useEffect(() => {
    if (!isLive) return
    const timer = window.setTimeout(() => send(typed), TYPING_MS)
    return () => window.clearTimeout(timer)
  }, [isLive, typed, send])
  return (
    <div className="relative w-full sm:w-72">
      <Search
        aria-hidden
        className="pointer-events-none absolute top-1/2 left-2.5 size-4 -translate-y-1/2 text-muted-foreground"
      />
      <input
        className={cn(FIELD, 'mt-0 pl-8')}
        name={name}
        type="search"
        aria-label={label}
        placeholder={label}
        value={typed}
        maxLength={200}
        data-first-filter=""
        onChange={({ target }) => setTyped(target.value)}
        onBlur={() => send(typed)}
        onKeyDown={({ key }) => key === 'Enter' && send(typed)}
      />
    </div>
  )
}
