import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Asked } from '../../components/asked.tsx'
import { Button } from '../../components/button.tsx'
import { Time } from '../../components/facts.tsx'
import { PlainTable } from '../../components/plain-table.tsx'
import { TRIGGERS } from '../../strings/triggers.ts'
import { firesQuery, type Schedule } from './api.ts'
import { OwnZone } from './cron-words.tsx'

const words = TRIGGERS.schedules

/** The next fires of a schedule, and the outcome of its last times, missed ones included. */
export function FiringsView({ schedule, onClose }: { schedule: Schedule; onClose: () => void }) {
  const fires = useQuery(firesQuery(schedule.id))
  const { past_columns: columns } = words
  return (
    <section aria-label={words.show(schedule.name)} className="my-4 rounded-lg border bg-card p-4">
      <div className="flex flex-wrap items-baseline justify-between gap-2">
        <h3 className="break-words font-semibold">{words.show(schedule.name)}</h3>
        <Button onClick={onClose}>{words.hide}</Button>
      </div>
      <Asked query={fires}>
        {({ next, past }) => (
          <div className="grid gap-4 md:grid-cols-[auto_minmax(0,1fr)]">
            <div>
              <h4 className="font-medium">{words.next_title}</h4>
              {next.length === 0 && <p className="text-muted-foreground">{words.none}</p>}
              <ol aria-label={words.next_title}>
                {next.map((at) => (
                  <li key={at}>
                    <Time at={at} />
                  </li>
                ))}
              </ol>
              <OwnZone unlike={schedule.timezone} />
            </div>
            <div className="min-w-0">
              <h4 className="font-medium">{words.past_title}</h4>
              {past.length === 0 ? (
                <p className="text-muted-foreground">{words.past_none}</p>
              ) : (
                <PlainTable
                  label={words.past_title}
                  columns={[columns.at, columns.outcome, columns.reason, columns.run]}
                  rows={past.map(({ nominal_at, outcome, reason, run_id }) => ({
                    key: nominal_at,
                    cells: [
                      <Time key="at" at={nominal_at} />,
                      <span
                        key="outcome"
                        className={outcome === 'started' ? 'text-success' : 'font-medium text-warning'}
                      >
                        {outcome}
                      </span>,
                      reason,
                      run_id !== undefined && (
                        <Link
                          key="run"
                          to="/runs/$id"
                          params={{ id: run_id }}
                          className="break-all font-mono text-sm link"
                        >
                          {run_id}
                        </Link>
                      ),
                    ],
                  }))}
                />
              )}
            </div>
          </div>
        )}
      </Asked>
    </section>
  )
}
