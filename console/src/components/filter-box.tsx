import { type ReactNode, useId, useState } from 'react'
import { STRINGS } from '../strings.ts'

const words = STRINGS.filters

interface Props {
  label: string
  /** number of filters that are set */
  set: number
  onClear: () => void
  /** of its grid, where there is room */
  className: string
  children: ReactNode
}

/** The filters of a list. A narrow screen hides them until they are opened. */
export function FilterBox({ label, set, onClear, className, children }: Props) {
  const id = useId()
  const [open, setOpen] = useState(false)
  return (
    <div className="mb-4 print:hidden">
      <button
        type="button"
        aria-expanded={open}
        aria-controls={id}
        onClick={() => setOpen(!open)}
        className="rounded border border-line px-2 py-1 text-sm sm:hidden"
      >
        {words.open(set)}
      </button>
      <form
        id={id}
        aria-label={label}
        onSubmit={(event) => event.preventDefault()}
        className={`mt-2 grid-cols-2 items-end gap-2 text-sm sm:mt-0 sm:grid ${open ? 'grid' : 'hidden'} ${className}`}
      >
        {children}
        {set > 0 && (
          <button type="button" onClick={onClear} className="h-8 rounded border border-line px-2">
            {words.clear}
          </button>
        )}
      </form>
    </div>
  )
}
