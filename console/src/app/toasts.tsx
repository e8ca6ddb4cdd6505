import { X } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { Button } from '../components/button.tsx'
import { dismiss, type Toast, tell, useToasts } from '../lib/toast.ts'
import { STRINGS } from '../strings.ts'

const words = STRINGS.toasts
const SHOWN_MS = 8_000
const UNDO_MS = 20_000

/** What actions did, read out without taking the focus. Alt T leads to the newest; nothing vanishes under the pointer or the focus. */
export function Toasts() {
  const toasts = useToasts()
  const box = useRef<HTMLDivElement>(null)
  const cameFrom = useRef<Element>(null)
  const [held, setHeld] = useState(false)
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (!event.altKey || event.code !== 'KeyT') return
      const newest = box.current?.querySelector<HTMLElement>('li:last-child button')
      if (newest === null || newest === undefined) return
      event.preventDefault()
      cameFrom.current = document.activeElement
      newest.focus()
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [])
  // what is removed under the focus would leave it nowhere
  const close = (id: number) => {
    if (cameFrom.current instanceof HTMLElement) cameFrom.current.focus()
    cameFrom.current = null
    setHeld(false)
    dismiss(id)
  }
  return (
    <div
      ref={box}
      role="status"
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
      // on a narrow screen below the header and the banners: at the bottom are the answers
      className="pointer-events-none z-20 max-md:sticky max-md:top-16 max-md:mx-4 max-md:h-0 md:fixed md:right-6 md:bottom-6 md:w-96 print:hidden"
    >
      <ul className="flex flex-col gap-2 max-md:pt-2">
        {toasts.map((toast) => (
          <Message key={toast.id} toast={toast} held={held} onClose={() => close(toast.id)} />
        ))}
      </ul>
    </div>
  )
}

interface Props {
  toast: Toast
  held: boolean
  onClose: () => void
}

function Message({ toast, held, onClose }: Props) {
  const { id, text, undo } = toast
  useEffect(() => {
    if (held) return undefined
    const timer = setTimeout(() => dismiss(id), undo === undefined ? SHOWN_MS : UNDO_MS)
    return () => clearTimeout(timer)
  }, [held, id, undo])
  const takeBack = () => {
    onClose()
    undo?.().then(tell, (error: unknown) => tell(words.failed(error instanceof Error ? error.message : String(error))))
  }
  return (
    <li className="pointer-events-auto flex items-center gap-2 rounded-lg border bg-card py-2 pr-2 pl-4 shadow-lg transition-opacity duration-200 starting:opacity-0 motion-reduce:transition-none">
      <bdi className="min-w-0 flex-1 break-words">{text}</bdi>
      {undo !== undefined && (
        <Button size="sm" onClick={takeBack}>
          {words.undo}
        </Button>
      )}
      <Button variant="ghost" size="icon" aria-label={words.close} onClick={onClose}>
        <X aria-hidden className="size-4" />
      </Button>
    </li>
  )
}
