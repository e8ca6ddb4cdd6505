import type { ReactNode } from 'react'

/** Names and values; what has no value is left out. */
export function Facts({ rows }: { rows: [name: string, value: ReactNode][] }) {
  return (
    <dl className="grid grid-cols-1 gap-x-6 sm:grid-cols-[auto_1fr] sm:gap-y-1">
      {rows.map(([name, value]) =>
        value === undefined || value === '' ? null : (
          <div key={name} className="contents">
            <dt className="text-soft">{name}</dt>
            <dd className="mb-1 min-w-0 break-words sm:mb-0">{value}</dd>
          </div>
        ),
      )}
    </dl>
  )
}
