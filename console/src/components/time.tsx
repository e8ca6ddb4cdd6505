import { agoText, durationText, fullTimeText } from '../lib/time.ts'
import { useNow } from '../lib/use-now.ts'

/** How long ago; the exact time shows on hover. */
export function Ago({ at }: { at: string }) {
  return (
    <time dateTime={at} title={fullTimeText(at)} className="whitespace-nowrap">
      {agoText(useNow() - Date.parse(at))}
    </time>
  )
}

/** The time since, as a duration. */
export function Since({ at, text }: { at: string; text: (time: string) => string }) {
  return (
    <time dateTime={at} title={fullTimeText(at)} className="whitespace-nowrap">
      {text(durationText(useNow() - Date.parse(at)))}
    </time>
  )
}
