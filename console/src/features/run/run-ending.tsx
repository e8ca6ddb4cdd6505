import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Failed } from '../../components/states.tsx'
import { may } from '../../lib/may.ts'
import { sessionQuery } from '../../lib/session.ts'
import { STRINGS } from '../../strings.ts'
import type { Run } from '../runs/api.ts'
import { type Ending, endRun } from './api.ts'

const words = STRINGS.run.ending
const BUTTON = 'rounded border border-line px-3 py-1'
const ENDABLE = ['queued', 'running', 'awaiting_approval']

/** Cancels a run, or dismisses its gate: for operators, while there is something to end. */
export function RunEnding({ run }: { run: Run }) {
  const { data: session } = useQuery(sessionQuery)
  const [asked, setAsked] = useState<Ending>()
  if (!may(session?.user?.roles ?? [], 'operator') || !ENDABLE.includes(run.status)) return null
  if (asked !== undefined) return <Confirm key={asked} run={run} ending={asked} onDone={() => setAsked(undefined)} />
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

function Confirm({ run: { id }, ending, onDone }: { run: Run; ending: Ending; onDone: () => void }) {
  const client = useQueryClient()
  const [reason, setReason] = useState('')
  const end = useMutation({
    mutationFn: () => endRun(id, ending, reason.trim()),
    onSuccess: onDone,
    onSettled: () => client.invalidateQueries({ queryKey: ['run', id] }),
  })
  return (
    <form
      aria-label={words[ending]}
      className="mb-4 max-w-2xl rounded border border-line p-3 print:hidden"
      onSubmit={(event) => {
        event.preventDefault()
        end.mutate()
      }}
    >
      <p className="mb-2 font-medium">{words[ending]}</p>
      <p className="mb-2 text-soft">{ending === 'cancel' ? words.cancel_what : words.expire_what}</p>
      <label className="block text-sm text-soft">
        {words.reason}
        <input
          // biome-ignore lint/a11y/noAutofocus: it was just asked for
          autoFocus
          required={ending === 'expire'}
          maxLength={4_000}
          value={reason}
          onChange={({ target }) => setReason(target.value)}
          className="mt-1 block w-full rounded border border-line bg-paper px-2 py-1 text-ink"
        />
      </label>
      {end.error !== null && <Failed error={end.error} />}
      <p className="mt-3 flex gap-3">
        <button type="submit" disabled={end.isPending} className={`${BUTTON} font-medium text-bad`}>
          {end.isPending ? words.busy : words.confirm}
        </button>
        <button type="button" onClick={onDone} className={BUTTON}>
          {words.keep}
        </button>
      </p>
    </form>
  )
}
