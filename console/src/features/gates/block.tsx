import type { ReactNode } from 'react'

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

/** One section of a gate. */
export function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="mb-4 min-w-0">
      <h3 className="mb-1 font-semibold">{title}</h3>
      {children}
    </section>
  )
}

/** Names and values; what has no value is left out. */
export function Facts({ rows }: { rows: [name: string, value: ReactNode][] }) {
  return (
    <dl className="grid grid-cols-1 gap-x-6 sm:grid-cols-[auto_1fr] sm:gap-y-1">
      {rows.map(([name, value]) =>
        value === undefined || value === '' ? null : (
          <div key={name} className="contents">
            <dt className="text-muted-foreground">{name}</dt>
            <dd className="mb-1 min-w-0 break-words sm:mb-0">{value}</dd>
          </div>
        ),
      )}
    </dl>
  )
}
