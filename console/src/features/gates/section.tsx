import type { ReactNode } from 'react'

/** One part of what is shown of a gate. */
export function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="mb-4 min-w-0">
      <h3 className="mb-1 font-semibold">{title}</h3>
      {children}
    </section>
  )
}
