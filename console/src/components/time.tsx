import { fullTimeText, timeText } from '../lib/time.ts'

export function Time({ at }: { at: string }) {
  return (
    <time dateTime={at} title={fullTimeText(at)} className="whitespace-nowrap">
      {timeText(at)}
    </time>
  )
}
