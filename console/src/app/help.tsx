import { useNavigate } from '@tanstack/react-router'
import { Keyboard } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { Button } from '../components/button.tsx'
import { Dialog } from '../components/dialog.tsx'
import { isTyping } from '../lib/is-typing.ts'
import { STRINGS } from '../strings.ts'
import { NAVIGATION } from './navigation.ts'

const { help } = STRINGS

/** The keys that work everywhere, and the list of them. What is typed into a field is text and no command. */
export function Help() {
  const [open, setOpen] = useState(false)
  const navigate = useNavigate()
  const going = useRef(false)
  const shown = useRef(open)
  useEffect(() => {
    shown.current = open
  }, [open])
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return
      const [target] = going.current ? NAVIGATION.filter(({ key }) => key === event.key) : []
      going.current = target === undefined && event.key === 'g'
      if (target !== undefined) {
        // so that the new page does not handle the key too
        event.preventDefault()
        void navigate({ to: target.to })
      }
      if (event.key === '?') setOpen(true)
      if (event.key === 'Escape' && shown.current) {
        event.preventDefault()
        setOpen(false)
      }
      if (event.key === '/') {
        event.preventDefault()
        document.querySelector<HTMLElement>('[data-first-filter]')?.focus()
      }
    }
    document.addEventListener('keydown', press, true)
    return () => document.removeEventListener('keydown', press, true)
  }, [navigate])
  return (
    <>
      <Button
        variant="ghost"
        size="icon"
        aria-label={help.open}
        title={help.open}
        onClick={() => setOpen(true)}
        className="touch:hidden"
      >
        <Keyboard aria-hidden className="size-4.5" />
      </Button>
      {open && <KeyList onClose={() => setOpen(false)} />}
    </>
  )
}

function KeyList({ onClose }: { onClose: () => void }) {
  return (
    <Dialog label={help.title} onClose={onClose} className="max-w-lg">
      {(close) => (
        <>
          <h2 className="mb-3 text-lg font-semibold">{help.title}</h2>
          <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-1">
            {help.keys.map(([key, what]) => (
              <div key={key} className="contents">
                <dt>
                  <kbd className="rounded border bg-muted px-2">{key}</kbd>
                </dt>
                <dd>{what}</dd>
              </div>
            ))}
          </dl>
          <Button autoFocus onClick={close} className="mt-4">
            {help.close}
          </Button>
        </>
      )}
    </Dialog>
  )
}
