import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { ReasonForm } from '../../components/reason-form.tsx'
import { tell } from '../../lib/toast.ts'
import { useMe } from '../../lib/use-me.ts'
import { STRINGS } from '../../strings.ts'
import type { Run } from '../runs/api.ts'
import { type Ending, endRun } from './api.ts'

const words = STRINGS.run.ending

interface Props {
  id: string
  ending: Ending
  /** the gate as shown: no other is dismissed */
  gate_id?: string
  onDone: () => void
  onLeave: () => void
}

/** Asks once more, and why, before a run is cancelled or its gate is dismissed. */
export function EndRun({ id, ending, gate_id, onDone, onLeave }: Props) {
  return (
    <ReasonForm
      title={words[ending]}
      what={ending === 'cancel' ? words.cancel_what : words.expire_what}
      field={words.reason}
      words={words}
      variant="destructive"
      isRequired={ending === 'expire'}
      invalidates={[['run', id], ['gates'], ['gate', id]]}
      act={(reason) => endRun(id, ending, { reason, gate_id })}
      onDone={onDone}
      onLeave={onLeave}
    />
  )
}

const ENDABLE: readonly string[] = ['queued', 'running', 'awaiting_approval'] satisfies Run['status'][]

/** Cancels a run: for operators, while there is something to end. */
export function RunEnding({ run }: { run: Run }) {
  const me = useMe()
  const [asked, setAsked] = useState(false)
  if (!me.isOperator || !ENDABLE.includes(run.status)) return null
  const leave = () => setAsked(false)
  const done = () => {
    leave()
    tell(words.done)
  }
  if (asked) return <EndRun id={run.id} ending="cancel" onDone={done} onLeave={leave} />
  return <Button onClick={() => setAsked(true)}>{words.cancel}</Button>
}
