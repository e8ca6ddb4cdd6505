import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Fragment, useEffect, useState } from 'react'
import { Button, Keyed } from '../../components/button.tsx'
import { Failed, Loading } from '../../components/states.tsx'
import { cn } from '../../lib/cn.ts'
import { visibleLine } from '../../lib/text.ts'
import { useMe } from '../../lib/use-me.ts'
import { usePhone } from '../../lib/use-media.ts'
import { useScrolledTo } from '../../lib/use-scrolled-to.ts'
import { STRINGS } from '../../strings.ts'
import { EndRun } from '../run/end-run.tsx'
import { runQuery } from '../runs/api.ts'
import { AnswerForm } from './answer-form.tsx'
import { type Decision, type Outcome, pendingQuery, type WaitingGate } from './api.ts'
import { ChangedPlan } from './changed-plan.tsx'
import { Decided } from './decided.tsx'
import { GateDetails } from './gate-details.tsx'
import { GateRemarks } from './gate-remarks.tsx'
import { useNote } from './use-note.ts'
import type { Queue } from './use-queue.ts'
import { useShown } from './use-shown.ts'

const words = STRINGS.gates
/** above the navigation of a phone, as long as any of the gate is seen */
export const PINNED =
  'sticky bottom-[calc(3.5rem+env(safe-area-inset-bottom))] z-5 -mx-4 mt-4 border-t bg-card px-4 py-3'

interface InQueue {
  gate: WaitingGate
  queue: Queue
  onMessage: (message: string, run?: string) => void
}

interface Props {
  gate: WaitingGate
  answering: Decision | undefined
  onAnswer: (decision: Decision | undefined) => void
  /** left out where the gate is part of a page */
  onClose?: () => void
  onDone: (message: string) => void
}

/** The open gate of the queue, which is closed with its answer. */
export function OpenInQueue({ gate, queue, onMessage }: InQueue) {
  useScrolledTo(queue.rowId(gate.run_id), !useQuery(pendingQuery(gate.run_id)).isPending)
  return (
    <OpenGate
      gate={gate}
      answering={queue.open?.answering}
      onAnswer={queue.answer}
      onClose={queue.close}
      onDone={(message) => {
        onMessage(message, gate.run_id)
        queue.close()
      }}
    />
  )
}

/** An open gate: its details, and the answer to exactly that. */
export function OpenGate({ gate, answering, onAnswer, onClose, onDone }: Props) {
  const { seen, next, gone, error, refetch, look } = useShown(gate.run_id)
  const { data: run } = useQuery(runQuery(gate.run_id))
  const step = run?.progress.steps.find(({ id }) => id === seen?.step)
  // the note survives a changed plan
  const { note, write, forget } = useNote(gate.gate_id)
  const [late, setLate] = useState(false)
  const [dismissing, setDismissing] = useState(false)
  const me = useMe()
  const isPhone = usePhone()
  useEffect(() => {
    if (gone) forget()
  }, [gone, forget])
  if (gone) return <NoGate run_id={gate.run_id} gate_id={seen?.gate_id ?? gate.gate_id} late={late} onClose={onClose} />
  if (seen === undefined) return error === null ? <Loading /> : <Failed error={error} again={() => void refetch()} />
  if (next !== undefined) {
    const onConfirm = () => {
      onAnswer(undefined)
      look()
    }
    return <ChangedPlan before={seen} after={next} onConfirm={onConfirm} />
  }
  const offered = gate.you_may.filter((decision) => decision !== answering)
  const decision = (
    <>
      {answering !== undefined && (
        <AnswerForm
          key={`${answering} ${seen.gate_id}`}
          approval={seen}
          gate={gate}
          decision={answering}
          note={note}
          onNote={write}
          onDone={(outcome) => {
            forget()
            onDone(messageOf(outcome, seen.plan.summary))
          }}
          onLate={() => setLate(true)}
          onCancel={() => onAnswer(undefined)}
        />
      )}
      <div className={cn('flex flex-wrap gap-3', isPhone && answering === undefined && !dismissing && PINNED)}>
        {offered.map((decision) => (
          <Button
            key={decision}
            variant={decision === 'approve' ? 'success' : 'destructive'}
            onClick={() => onAnswer(decision)}
          >
            <Keyed text={words[decision]} />
          </Button>
        ))}
        {me.isOperator && !dismissing && <Button onClick={() => setDismissing(true)}>{words.dismiss}</Button>}
        {onClose !== undefined && (
          <Button variant="ghost" onClick={onClose}>
            <Keyed text={words.close} />
          </Button>
        )}
      </div>
      {dismissing && (
        <div className="mt-3">
          <EndRun
            id={gate.run_id}
            gate_id={seen.gate_id}
            ending="expire"
            onDone={() => onDone(words.outcome.dismissed(seen.plan.summary))}
            onLeave={() => setDismissing(false)}
          />
        </div>
      )}
    </>
  )
  const parts = { decision, remarks: <GateRemarks approval={seen} />, details: <GateDetails approval={seen} /> }
  return (
    <>
      <p className="mb-2 wrap-anywhere">{words.asks[seen.kind](visibleLine(step?.name ?? seen.step))}</p>
      {error !== null && <Failed error={error} again={() => void refetch()} />}
      {seen.retry !== undefined && (
        <p className="mb-2 wrap-anywhere text-warning">
          {seen.retry.text}{' '}
          <Link to="/runs/$id" params={{ id: seen.retry.run_id }} className="link">
            {words.details.retried}
          </Link>
        </p>
      )}
      {seen.halts?.map(({ id, reason, by }) => (
        <p key={id} className="mb-2 text-warning">
          {words.details.halts(reason, by)}
        </p>
      ))}
      {(isPhone ? (['details', 'remarks', 'decision'] as const) : (['decision', 'remarks', 'details'] as const)).map(
        (part) => (
          // a phone that is turned moves them, with what was typed
          <Fragment key={part}>{parts[part]}</Fragment>
        ),
      )}
    </>
  )
}

interface NoGateProps {
  run_id: string
  gate_id: string
  /** an answer of one's own came second */
  late: boolean
  onClose: (() => void) | undefined
}

function NoGate({ late, onClose, ...gate }: NoGateProps) {
  return (
    <div role="alert" className="my-2 rounded border-2 border-warning p-3">
      <h3 className="font-semibold">{words.decided.title}</h3>
      {late && <p>{words.advice.gate_resolved}</p>}
      <Decided {...gate} />
      {onClose !== undefined && (
        <p className="mt-2 flex flex-wrap items-center gap-3">
          <Link to="/runs/$id" params={{ id: gate.run_id }} className="link">
            {words.outcome.run}
          </Link>
          <Button onClick={onClose}>
            <Keyed text={words.close} />
          </Button>
        </p>
      )}
    </div>
  )
}

/** Only what the API has answered. */
function messageOf({ resolved, decision, approvals }: Outcome, summary: string): string {
  const { outcome } = words
  if (decision === 'reject') return outcome.rejected(summary)
  return resolved ? outcome.approved(summary) : outcome.counted(approvals.have, approvals.need, summary)
}
