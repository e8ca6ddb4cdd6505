import { lazy, Suspense, useEffect, useState } from 'react'
import { PALETTE } from '../strings/palette.ts'

// loaded on first use
const Palette = lazy(async () => ({ default: (await import('../features/palette/palette.tsx')).Palette }))

/** Opens the command palette, by Ctrl K or Cmd K from anywhere, also out of a field. */
export function PaletteSwitch() {
  const [open, setOpen] = useState(false)
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
      <button type="button" onClick={() => setOpen(true)} className="rounded border border-line px-2 py-1 text-sm">
        {PALETTE.open}
      </button>
      {open && (
        <Suspense fallback={null}>
          <Palette onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
}
