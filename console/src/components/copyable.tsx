import { useRef, useState } from 'react'
import { STRINGS } from '../strings.ts'
import { Button } from './button.tsx'

/** An id that can be taken along; where the browser keeps its clipboard to itself, it can still be selected. */
export function Copyable({ text }: { text: string }) {
  const [message, setMessage] = useState<string>()
  const code = useRef<HTMLElement>(null)
  // pages that came without TLS have no clipboard
  const copy = () => navigator.clipboard?.writeText(text) ?? Promise.reject(new Error('no clipboard'))
  const select = () => {
    if (code.current !== null) window.getSelection()?.selectAllChildren(code.current)
    setMessage(STRINGS.copy.selected)
  }
  return (
    <span className="inline-flex items-baseline gap-2">
      <code ref={code} className="break-all text-sm">
        {text}
      </code>
      <Button
        aria-label={`${STRINGS.copy.label} ${text}`}
        onClick={() => void copy().then(() => setMessage(STRINGS.copy.done), select)}
        size="sm"
        className="print:hidden"
      >
        {message ?? STRINGS.copy.label}
      </Button>
    </span>
  )
}
