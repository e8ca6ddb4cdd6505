import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { tell } from '../../lib/toast.ts'
import { useMe } from '../../lib/use-me.ts'
import { STRINGS } from '../../strings.ts'
import type { Run } from '../runs/api.ts'
import { EndRun } from './end-run.tsx'

const words = STRINGS.run.ending
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
