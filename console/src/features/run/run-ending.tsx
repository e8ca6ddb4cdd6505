import { useState } from 'react'
import { useMe } from '../../lib/use-me.ts'
import { STRINGS } from '../../strings.ts'
import type { Run } from '../runs/api.ts'
import type { Ending } from './api.ts'
import { EndRun } from './end-run.tsx'

const words = STRINGS.run.ending
const BUTTON = 'rounded border border-line px-3 py-1'
const ENDABLE: readonly string[] = ['queued', 'running', 'awaiting_approval'] satisfies Run['status'][]

/** Cancels a run, or dismisses its gate: for operators, while there is something to end. */
export function RunEnding({ run }: { run: Run }) {
  const me = useMe()
  const [asked, setAsked] = useState<Ending>()
  if (!me.isOperator || !ENDABLE.includes(run.status)) return null
  const leave = () => setAsked(undefined)
  if (asked !== undefined) return <EndRun key={asked} id={run.id} ending={asked} onDone={leave} onLeave={leave} />
  return (
    <p className="mb-4 flex flex-wrap gap-3 print:hidden">
      <button type="button" onClick={() => setAsked('cancel')} className={BUTTON}>
        {words.cancel}
      </button>
      {run.status === 'awaiting_approval' && (
        <button type="button" onClick={() => setAsked('expire')} className={BUTTON}>
          {words.expire}
        </button>
      )}
    </p>
  )
}
