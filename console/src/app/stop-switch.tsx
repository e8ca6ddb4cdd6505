import { OctagonX } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { Button } from '../components/button.tsx'
import { useMe } from '../lib/use-me.ts'
import { STRINGS } from '../strings.ts'

// loaded on first use
const StopDialog = lazy(async () => ({ default: (await import('../features/admin/stop-dialog.tsx')).StopDialog }))

/** Opens the dialog that halts runs, for those who may. */
export function StopSwitch() {
  const me = useMe()
  const [open, setOpen] = useState(false)
  if (!me.isApprover) return null
  return (
    <>
      <Button variant="destructive" size="sm" onClick={() => setOpen(true)}>
        <OctagonX aria-hidden className="size-4" />
        {STRINGS.stop.open}
      </Button>
      {open && (
        <Suspense fallback={null}>
          <StopDialog onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
}
