import { ChevronRight } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { usePhone } from '../../lib/use-media.ts'
import { STRINGS } from '../../strings.ts'

/** what a phone shows of a text at once */
const MAX_LINES = 8
const MAX_CHARS = 400

/** Text to the letter, no matter what it does to the direction of writing, and never wider than the page. */
export function Block({ text }: { text: string }) {
  return (
    <pre
      dir="ltr"
      className="whitespace-pre-wrap rounded bg-muted p-2 text-sm [overflow-wrap:anywhere] [unicode-bidi:isolate]"
    >
      {text}
    </pre>
  )
}

interface SectionProps {
  title: string
  /** on a phone it is closed until somebody opens it */
  folds?: boolean
  children: ReactNode
}

/** One section of a gate. */
export function Section({ title, folds = false, children }: SectionProps) {
  const isPhone = usePhone()
  const heading = <h3 className="font-semibold">{title}</h3>
  return folds && isPhone ? (
    <section className="min-w-0 border-t">
      <Fold summary={heading}>{children}</Fold>
    </section>
  ) : (
    <section className="mb-4 min-w-0">
      <div className="mb-1">{heading}</div>
      {children}
    </section>
  )
}

/** What is read only by those who open it. */
export function Fold({ summary, children }: { summary: ReactNode; children: ReactNode }) {
  const [open, setOpen] = useState(false)
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)} className="group/fold">
      <summary className="flex min-h-11 cursor-pointer list-none items-center gap-2 [&::-webkit-details-marker]:hidden">
        <ChevronRight aria-hidden className="size-4 shrink-0 transition-transform group-open/fold:rotate-90" />
        {summary}
      </summary>
      {open && <div className="mb-4">{children}</div>}
    </details>
  )
}

/** Only the beginning on a phone, with a button that shows the rest. */
export function LongText({ text, children }: { text: string; children: ReactNode }) {
  const isPhone = usePhone()
  const [whole, setWhole] = useState(false)
  const lines = text.split('\n').length
  if (!isPhone || whole || (lines <= MAX_LINES && text.length <= MAX_CHARS)) return children
  return (
    <>
      <div className="max-h-40 overflow-hidden">{children}</div>
      <Button size="sm" className="mt-1" onClick={() => setWhole(true)}>
        {STRINGS.gates.details.whole(lines)}
      </Button>
    </>
  )
}

export type FactRow = [name: string, value: ReactNode]

/** Names and values; what has no value is left out. */
export function Facts({ rows }: { rows: FactRow[] }) {
  return (
    <dl className="grid grid-cols-[minmax(0,7.5rem)_1fr] gap-x-3 sm:grid-cols-[fit-content(45%)_1fr] sm:gap-x-6 sm:gap-y-1">
      {rows.map(([name, value]) =>
        value === undefined || value === '' ? null : (
          <div key={name} className="contents">
            <dt className="break-words text-muted-foreground">{name}</dt>
            <dd className="mb-1 min-w-0 break-words sm:mb-0">{value}</dd>
          </div>
        ),
      )}
    </dl>
  )
}
