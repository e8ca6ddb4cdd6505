import { useState } from 'react'
import { STRINGS } from '../../strings.ts'
import { DismissDialog } from './dismiss-dialog.tsx'

/** Leads to the dismissal of many gates at once. */
export function StaleGates() {
  const [open, setOpen] = useState(false)
  return (
    <>
      <button
        type="button"
        onClick={() => setOpen(true)}
        className="ml-auto rounded border border-line px-2 py-1 text-sm"
      >
        {STRINGS.gates.stale.open}
      </button>
      {open && <DismissDialog onClose={() => setOpen(false)} />}
    </>
  )
}
