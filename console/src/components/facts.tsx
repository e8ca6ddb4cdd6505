import type { ReactNode } from 'react'
import { fullTimeText, timeText } from '../lib/time.ts'

/** Names with what is known of them; what is not known is left out. */
export function Facts({ rows }: { rows: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className="grid grid-cols-1 gap-x-6 gap-y-1 sm:grid-cols-[fit-content(45%)_minmax(0,1fr)]">
      {rows.map(([name, value]) =>
        value === undefined || value === null || value === '' || value === false ? null : (
          <div key={name} className="contents">
            <dt className="text-muted-foreground">{name}</dt>
            <dd className="min-w-0 break-words">{value}</dd>
          </div>
        ),
      )}
    </dl>
  )
}

/** Recorded data, unchanged. */
export function Data({ value }: { value: unknown }) {
  return (
    <pre
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard
      tabIndex={0}
      className="max-h-96 overflow-auto whitespace-pre-wrap break-words rounded bg-muted p-2 text-sm print:max-h-none"
    >
      {typeof value === 'string' ? value : JSON.stringify(value, null, 2)}
    </pre>
  )
}

export function Time({ at }: { at: string }) {
  return (
    <time dateTime={at} title={fullTimeText(at)} className="whitespace-nowrap">
      {timeText(at)}
    </time>
  )
}
