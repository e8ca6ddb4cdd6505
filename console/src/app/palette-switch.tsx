import { Search } from 'lucide-react'
import { lazy, Suspense, useEffect, useState } from 'react'
import { PALETTE } from '../strings/palette.ts'
import { Opening } from './opening.tsx'

// loaded on first use
const Palette = lazy(async () => ({ default: (await import('../features/palette/palette.tsx')).Palette }))

/** Opens the command palette, by Ctrl K or Cmd K from anywhere, also out of a field. */
export function PaletteSwitch() {
  const [open, setOpen] = useState(false)
  const [typed, setTyped] = useState('')
  const close = () => {
    setOpen(false)
    setTyped('')
  }
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const isIt =
        (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === 'k'
      if (!isIt) return
      event.preventDefault()
      // an open dialog comes first
      if (document.querySelector('dialog[open], [role="dialog"]') === null) setOpen(true)
    }
    document.addEventListener('keydown', press, true)
    return () => document.removeEventListener('keydown', press, true)
  }, [])
  return (
    <>
      <button
        type="button"
        onClick={() => setOpen(true)}
        className="flex min-h-9 min-w-9 items-center gap-2 rounded-md border px-2.5 max-md:justify-center text-sm text-muted-foreground hover:bg-muted md:w-72 touch:min-h-11 touch:min-w-11"
      >
        <Search aria-hidden className="size-4 shrink-0" />
        <span className="max-md:sr-only">{PALETTE.open}</span>
        <span aria-hidden="true" className="ml-auto text-xs max-md:hidden">
          Ctrl K
        </span>
      </button>
      {open && (
        <Suspense fallback={<Opening label={PALETTE.title} onClose={close} onType={setTyped} />}>
          <Palette typed={typed} onClose={close} />
        </Suspense>
      )}
    </>
  )
}
