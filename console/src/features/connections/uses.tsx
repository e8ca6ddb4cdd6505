import { useQuery } from '@tanstack/react-query'
import { CONNECTIONS as words } from '../../strings/connections.ts'
import { type Connection, connectionQuery } from './api.ts'

const DAYS = 30
const DAY_MS = 86_400_000

/** Steps that used a connection in each of the last 30 days, the oldest first. */
export function Uses({ id }: Pick<Connection, 'id'>) {
  const { data } = useQuery(connectionQuery(id))
  if (data?.uses_per_day === undefined) return null
  const counts = new Map(data.uses_per_day.map(({ day, uses }) => [day, uses]))
  const days = Array.from({ length: DAYS }, (_, at) => {
    const day = new Date(Date.now() - (DAYS - 1 - at) * DAY_MS).toISOString().slice(0, 10)
    return { day, count: counts.get(day) ?? 0 }
  })
  const most = Math.max(1, ...days.map(({ count }) => count))
  const all = days.reduce((sum, { count }) => sum + count, 0)
  return (
    <span className="flex flex-wrap items-end gap-x-3">
      {words.uses_in_all(all)}
      {all > 0 && (
        <span aria-hidden="true" className="flex h-6 items-end gap-px">
          {days.map(({ day, count }) => (
            <span
              key={day}
              title={words.uses_of(day, count)}
              className="w-1.5 bg-primary"
              style={{ height: count === 0 ? '1px' : `${Math.max(10, Math.round((count / most) * 100))}%` }}
            />
          ))}
        </span>
      )}
    </span>
  )
}
