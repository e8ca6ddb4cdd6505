import { useState } from 'react'
import { STRINGS } from '../strings.ts'

/** An id that can be taken along; where the browser keeps its clipboard to itself, it can still be selected. */
export function Copyable({ text }: { text: string }) {
  const [copied, setCopied] = useState(false)
  const copy = async () => {
    await navigator.clipboard?.writeText(text)
    setCopied(true)
  }
  return (
    <span className="inline-flex items-baseline gap-2">
      <code className="break-all text-sm">{text}</code>
      <button
        type="button"
        aria-label={`${STRINGS.copy.label} ${text}`}
        onClick={() => void copy().catch(() => setCopied(false))}
        className="rounded border border-line px-2 text-xs text-soft print:hidden"
      >
        {copied ? STRINGS.copy.done : STRINGS.copy.label}
      </button>
    </span>
  )
}
