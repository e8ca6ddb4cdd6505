import type { PendingApproval } from './api.ts'

type ShownDiff = NonNullable<PendingApproval['plan']['diff']>

const colourOf = (line: string) =>
  line.startsWith('+') ? 'text-good' : line.startsWith('-') ? 'text-bad' : line.startsWith('@@') ? 'text-mark' : ''

/** A difference line by line; the sign at its beginning says what the colour underlines. */
export function Diff({ diff: { format, body } }: { diff: ShownDiff }) {
  return (
    <pre dir="ltr" className="whitespace-pre-wrap rounded bg-sunk p-2 text-sm [overflow-wrap:anywhere]">
      {body.split('\n').map((line, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other name, and never change places
        <span key={place} className={`block min-h-5 ${format === 'unified' ? colourOf(line) : ''}`}>
          {line}
        </span>
      ))}
    </pre>
  )
}
