import { useEffect, useRef } from 'react'
import { Button, Keyed } from '../../components/button.tsx'
import { cn } from '../../lib/cn.ts'
import { usePhone } from '../../lib/use-media.ts'
import { useScrolledTo } from '../../lib/use-scrolled-to.ts'
import { GATE_GROUPS } from '../../strings/gate-groups.ts'
import { STRINGS } from '../../strings.ts'
import type { Decision } from './api.ts'
import { GroupForm } from './group-form.tsx'
import { doneText, isOver } from './group-outcome.ts'
import { GroupRows } from './group-rows.tsx'
import { areSame, newerOf } from './groups.ts'
import { PINNED } from './open-gate.tsx'
import type { Queue } from './use-queue.ts'

const words = GATE_GROUPS

interface Props {
  queue: Queue
  onMessage: (message: string, run?: string) => void
}

/** An open group: its gates, the choice among them, and one confirmation for those that are chosen. */
export function GroupPanel({ queue, onMessage }: Props) {
  const { group } = queue
  const { open, mustConfirm, chosen, free, byItself, reconsidered, isAnswerable } = group
  const isSending = open?.isSending === true
  const wasSending = useRef(false)
  const isPhone = usePhone()
  useScrolledTo(queue.rowId(open?.id ?? ''))
  useEffect(() => {
    if (open === undefined) return
    if (wasSending.current && !isSending) onMessage(doneText([...open.results.values()]))
    wasSending.current = isSending
  }, [open, isSending, onMessage])
  if (open === undefined) return null
  const all = open.rows.filter((row) => isAnswerable(row))
  const isMore = free.some((row) => !chosen.includes(row))
  const newer = newerOf(open, group.listed)
  const isDone = open.rows.every((row) => isOver(row, group))
  const begin = (decision: Decision) => {
    const against = group.begin(decision)
    if (against !== undefined) onMessage(words.refused[against])
  }
  const choice = (
    <>
      {all.length > 0 && (
        <Button disabled={isSending || (!isMore && chosen.length === 0)} onClick={() => group.chooseAll(isMore)}>
          {isMore ? words.all : words.none}
        </Button>
      )}
      <Button variant="ghost" disabled={isSending} onClick={() => queue.leave()}>
        <Keyed text={STRINGS.gates.close} />
      </Button>
    </>
  )
  const answer = (
    <>
      {open.answering !== undefined && <GroupForm key={open.answering} group={group} decision={open.answering} />}
      <div
        className={cn(
          'my-3 flex flex-wrap items-center gap-2',
          isPhone && open.answering === undefined && queue.open === undefined && PINNED,
        )}
      >
        {(['approve', 'reject'] as const)
          .filter((decision) => decision !== open.answering)
          .map((decision) => (
            <Button
              key={decision}
              variant={decision === 'approve' ? 'success' : 'destructive'}
              disabled={isSending || !chosen.some((row) => isAnswerable(row, decision))}
              onClick={() => begin(decision)}
            >
              <Keyed text={words[decision]} />
            </Button>
          ))}
        {!isPhone && choice}
        <span className="text-sm text-muted-foreground tabular-nums">
          {words.chosen(chosen.length, open.rows.length)}
        </span>
      </div>
    </>
  )
  return (
    <>
      {!isDone && (
        <>
          <p className="mb-1 text-sm text-muted-foreground">{words.about}</p>
          {!mustConfirm && (
            <p className="mb-1 text-sm">{areSame(open.rows) ? words.beforehand.all : words.beforehand.none}</p>
          )}
          {mustConfirm && <p className="mb-1 text-sm font-medium text-destructive">{words.confirm_each}</p>}
          {byItself > 0 && <p className="mb-1 text-sm font-medium text-warning">{words.by_itself(byItself)}</p>}
          {reconsidered > 0 && (
            <p role="status" className="mb-1 text-sm font-medium text-warning">
              {words.reconsidered(reconsidered)}
            </p>
          )}
        </>
      )}
      {isPhone || isDone ? <div className="my-3 flex gap-2">{choice}</div> : answer}
      {newer.length > 0 && (
        <Button size="sm" className="mb-3" onClick={() => group.add(newer)}>
          {words.newer(newer.length)}
        </Button>
      )}
      <GroupRows queue={queue} rows={open.rows} onMessage={onMessage} />
      {/* within reach of a thumb, however many gates there are */}
      {isPhone && !isDone && answer}
    </>
  )
}
