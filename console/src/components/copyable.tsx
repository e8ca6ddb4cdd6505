import { Check, Copy } from 'lucide-react'
import { useRef, useState } from 'react'
import { STRINGS } from '../strings.ts'
import { Button } from './button.tsx'

/** An id that can be taken along; where the browser keeps its clipboard to itself, it can still be selected. */
export function Copyable({ text, isShort = false }: { text: string; isShort?: boolean }) {
  const [message, setMessage] = useState<string>()
  const code = useRef<HTMLElement>(null)
  // pages that came without TLS have no clipboard
  const copy = () => navigator.clipboard?.writeText(text) ?? Promise.reject(new Error('no clipboard'))
  const select = () => {
    if (code.current !== null) window.getSelection()?.selectAllChildren(code.current)
    setMessage(STRINGS.copy.selected)
  }
  return (
    <span className="inline-flex items-center gap-1">
      <code
        ref={code}
        className={`text-sm ${isShort ? 'max-w-44 truncate print:max-w-none' : 'break-all'}`}
        title={text}
      >
        {text}
      </code>
      <Button
        variant="ghost"
        size="icon"
        aria-label={`${STRINGS.copy.label} ${text}`}
        title={STRINGS.copy.label}
        onClick={() => void copy().then(() => setMessage(STRINGS.copy.done), select)}
        className="size-7 print:hidden"
      >
        {message === STRINGS.copy.done ? (
          <Check aria-hidden className="size-4 text-success" />
        ) : (
          <Copy aria-hidden className="size-4" />
        )}
      </Button>
      <span role="status" className="sr-only">
        {message}
      </span>
    </span>
  )
}
