import { Sparkles } from 'lucide-react'
import { lazy, Suspense, useEffect, useState } from 'react'
import { Button } from '../components/button.tsx'
import { isTyping } from '../lib/is-typing.ts'
import { useChosenWorkspace } from '../lib/session.ts'
import { ASK } from '../strings/ask.ts'
import { Opening } from './opening.tsx'

// loaded on first use
const AskDrawer = lazy(async () => ({ default: (await import('../features/ask/ask-drawer.tsx')).AskDrawer }))

/** Opens the ask drawer, on every page: by `q`, or by its button. It stays open from page to page. */
export function AskSwitch({ user_id }: { user_id: string }) {
  const [open, setOpen] = useState(false)
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return
      if (event.key !== 'q' || document.querySelector('dialog[open], [role="dialog"]') !== null) return
      // the key that opens it is not its first letter
      event.preventDefault()
      setOpen(true)
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [])
  const of = `${user_id}.${useChosenWorkspace() ?? ''}`
  return (
    <>
      <Button title={ASK.title} size="sm" onClick={() => setOpen(true)}>
        <Sparkles aria-hidden className="size-4" />
        <span className="max-md:sr-only">{ASK.open}</span>
      </Button>
      {open && (
        <Suspense fallback={<Opening label={ASK.title} onClose={() => setOpen(false)} />}>
          <AskDrawer key={of} of={of} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
}
