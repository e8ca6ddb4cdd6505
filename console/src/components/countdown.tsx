import { durationText } from '../lib/duration.ts'
import { fullTimeText } from '../lib/time.ts'
import { useNow } from '../lib/use-now.ts'
import { STRINGS } from '../strings.ts'

const SOON_MS = 3_600_000

/** How long is left, in words that go on. */
export function Countdown({ to }: { to: string }) {
  const left = Date.parse(to) - useNow()
  return (
    <time dateTime={to} title={fullTimeText(to)} className={left < SOON_MS ? 'font-medium text-bad' : ''}>
      {left > 0 ? STRINGS.countdown.left(durationText(left)) : STRINGS.countdown.over}
    </time>
  )
}
