import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Asked } from '../../components/asked.tsx'
import { Button } from '../../components/button.tsx'
import { Refusal } from '../../components/checks.tsx'
import { Confirm } from '../../components/confirm.tsx'
import { Time } from '../../components/facts.tsx'
import { PlainTable } from '../../components/plain-table.tsx'
import { Empty } from '../../components/states.tsx'
import { ApiError } from '../../lib/api.ts'
import { tell } from '../../lib/toast.ts'
import { useMe } from '../../lib/use-me.ts'
import { TRIGGERS } from '../../strings/triggers.ts'
import { deleteSchedule, pauseOrResume, type Schedule, schedulesQuery } from './api.ts'
import { CronWords } from './cron-words.tsx'
import { FiringsView } from './firings-view.tsx'

const words = TRIGGERS.schedules

/** The schedules: next time, last outcome, and whether they are paused. */
export function SchedulesPart() {
  const client = useQueryClient()
  const me = useMe()
  const schedules = useInfiniteQuery(schedulesQuery)
  const [shown, setShown] = useState<string>()
  const change = useMutation({
    mutationFn: (act: () => Promise<unknown>) => act(),
    onSettled: () => client.invalidateQueries({ queryKey: ['schedules'] }),
  })
  const toggle = async (schedule: Schedule) => {
    const changed = await pauseOrResume(schedule)
    return { changed, text: changed.enabled ? words.is_resumed(changed.name) : words.is_paused(changed.name) }
  }
  const pause = async (schedule: Schedule) => {
    const { changed, text } = await toggle(schedule)
    tell(text, async () => {
      const undone = await toggle(changed)
      await client.invalidateQueries({ queryKey: ['schedules'] })
      return undone.text
    })
  }
  const remove = async (schedule: Schedule) => {
    await deleteSchedule(schedule)
    tell(words.is_deleted(schedule.name))
  }
  const isOvertaken = change.error instanceof ApiError && change.error.status === 412
  const { columns } = words
  return (
    <>
      {isOvertaken ? (
        <p role="alert" className="text-destructive">
          {words.overtaken}
        </p>
      ) : (
        <Refusal error={change.error} />
      )}
      <Asked query={schedules}>
        {({ pages }) => {
          const list = pages.flatMap(({ items }) => items)
          if (list.length === 0)
            return (
              <Empty>
                {words.empty}{' '}
                <Link to="/start" search={{}} className="link">
                  {words.choose}
                </Link>
              </Empty>
            )
          const found = list.find(({ id }) => id === shown)
          return (
            <>
              <PlainTable
                label={TRIGGERS.parts.schedules}
                columns={[
                  columns.name,
                  columns.when,
                  columns.starts,
                  columns.next,
                  columns.last,
                  columns.state,
                  columns.change,
                ]}
                rows={list.map((schedule) => ({
                  key: schedule.id,
                  cells: [
                    <span key="name">
                      {schedule.name}
                      <span className="block text-sm text-muted-foreground">{words.source(schedule.source)}</span>
                    </span>,
                    <CronWords key="when" schedule={schedule} />,
                    <span key="starts">
                      {schedule.pack}/{schedule.template}
                      <span className="block text-sm text-muted-foreground">{schedule.environment}</span>
                    </span>,
                    schedule.next_fire_at === undefined ? words.none : <Time key="next" at={schedule.next_fire_at} />,
                    <Last key="last" schedule={schedule} />,
                    <span key="state" className={schedule.enabled ? 'text-success' : 'font-medium text-warning'}>
                      {schedule.enabled ? words.active : words.paused}
                      {schedule.sync === 'pending' && <span className="block text-sm">{words.pending}</span>}
                    </span>,
                    <span key="change" className="flex flex-wrap gap-2">
                      <Button onClick={() => setShown(schedule.id)}>{words.show(schedule.name)}</Button>
                      {me.isOperator && (
                        <Button
                          aria-label={`${schedule.enabled ? words.pause : words.resume} ${schedule.name}`}
                          disabled={change.isPending}
                          onClick={() => change.mutate(() => pause(schedule))}
                        >
                          {schedule.enabled ? words.pause : words.resume}
                        </Button>
                      )}
                      {/** a declared schedule is removed in its pack, skill or file */}
                      {me.isOperator && schedule.source === 'console' && (
                        <Confirm
                          ask={`${words.delete} ${schedule.name}`}
                          question={words.delete_sure(schedule.name)}
                          yes={words.delete_yes}
                          no={words.keep}
                          busy={change.isPending}
                          onYes={() => change.mutate(() => remove(schedule))}
                        />
                      )}
                    </span>,
                  ],
                }))}
              />
              {found !== undefined && <FiringsView schedule={found} onClose={() => setShown(undefined)} />}
            </>
          )
        }}
      </Asked>
      {schedules.hasNextPage && (
        <Button className="mt-3" onClick={() => void schedules.fetchNextPage()}>
          {TRIGGERS.more}
        </Button>
      )}
    </>
  )
}

function Last({ schedule: { last_fire } }: { schedule: Schedule }) {
  if (last_fire === undefined) return words.never
  const isGood = last_fire.outcome === 'started'
  return (
    <>
      <Time at={last_fire.nominal_at} />
      <span className={`block text-sm ${isGood ? 'text-success' : 'font-medium text-warning'}`}>
        {last_fire.outcome}
      </span>
      <span className="text-sm text-muted-foreground">{last_fire.reason}</span>
    </>
  )
}
