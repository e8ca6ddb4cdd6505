import { useQuery } from '@tanstack/react-query'
import { Time } from '../../components/facts.tsx'
import { useSettled } from '../../lib/use-now.ts'
import { TRIGGERS } from '../../strings/triggers.ts'
import { type FireTimes, previewQuery } from './api.ts'
import { CronWords, OwnZone } from './cron-words.tsx'

const words = TRIGGERS.schedules

/** A cron expression while it is typed: in words and with its next times, or its fault. */
export function CronPreview({ times }: { times: FireTimes }) {
  const settled = useSettled(times)
  const { data, error } = useQuery(previewQuery(settled))
  if (error !== null)
    return (
      <p role="alert" className="whitespace-pre-wrap break-words text-destructive">
        {error.message}
      </p>
    )
  return (
    <div role="status">
      <CronWords schedule={times} />
      {data !== undefined && (
        <>
          <ol aria-label={words.next_title} className="mt-1 text-sm">
            {data.next_fires.map((at) => (
              <li key={at}>
                <Time at={at} />
              </li>
            ))}
          </ol>
          <OwnZone unlike={settled.timezone} />
        </>
      )}
    </div>
  )
}
