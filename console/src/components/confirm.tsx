import { useState } from 'react'
import { Button } from './button.tsx'

interface Props {
  ask: string
  question: string
  yes: string
  no: string
  busy?: boolean
  variant?: 'destructive' | 'default' | 'outline'
  onYes: () => void
}

/** A button that asks once more, in its own place. */
export function Confirm({ ask, question, yes, no, busy = false, variant = 'destructive', onYes }: Props) {
  const [asked, setAsked] = useState(false)
  if (!asked)
    return (
      <Button variant={variant} disabled={busy} onClick={() => setAsked(true)}>
        {ask}
      </Button>
    )
  const answer = (agreed: boolean) => {
    setAsked(false)
    if (agreed) onYes()
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot stand in a line
    <span role="group" aria-label={question} className="inline-flex flex-wrap items-center gap-2">
      <span className={variant === 'destructive' ? 'font-medium text-destructive' : 'font-medium'}>{question}</span>
      <Button autoFocus onClick={() => answer(false)}>
        {no}
      </Button>
      <Button variant={variant} onClick={() => answer(true)}>
        {yes}
      </Button>
    </span>
  )
}
