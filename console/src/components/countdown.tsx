import { durationText, fullTimeText } from '../lib/time.ts'
import { useNow } from '../lib/use-now.ts'
import { STRINGS } from '../strings.ts'

const SOON_MS = 3_600_000

interface Props {
  to: string
  /** nothing is lost when the time has come */
  calm?: boolean
}

/** The remaining time, counting down. */
export function Countdown({ to, calm = false }: Props) {
  const left = Date.parse(to) - useNow()
  return (
    <time
      dateTime={to}
      title={fullTimeText(to)}
      className={left < SOON_MS && !calm ? 'font-medium text-destructive' : ''}
    >
      {textOf(left, calm)}
    </time>
  )
}

function textOf(left_ms: number, calm: boolean): string {
  const { left, over, until, now } = STRINGS.countdown
  if (calm) return left_ms > 0 ? until(durationText(left_ms)) : now
  return left_ms > 0 ? left(durationText(left_ms)) : over
}
