import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Failed } from '../../components/states.tsx'
import { STRINGS } from '../../strings.ts'
import { type Ending, endRun } from './api.ts'

const words = STRINGS.run.ending
const BUTTON = 'rounded border border-line px-3 py-1'

interface Props {
  id: string
  ending: Ending
  /** the gate that was looked at: no other is dismissed */
  gate_id?: string
  onDone: () => void
  onLeave: () => void
}

/** Asks once more, and why, before a run is cancelled or its gate is dismissed. */
export function EndRun({ id, ending, gate_id, onDone, onLeave }: Props) {
  const client = useQueryClient()
  const [reason, setReason] = useState('')
  const end = useMutation({
    mutationFn: () => endRun(id, ending, { reason: reason.trim(), gate_id }),
    onSuccess: onDone,
    onSettled: () =>
      Promise.all([['run', id], ['gates'], ['gate', id]].map((queryKey) => client.invalidateQueries({ queryKey }))),
  })
  return (
    <form
      aria-label={words[ending]}
      className="mb-4 max-w-2xl rounded border border-line p-3 print:hidden"
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return
        event.preventDefault()
        onLeave()
      }}
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
        <button type="button" onClick={onLeave} className={BUTTON}>
          {words.keep}
        </button>
      </p>
    </form>
  )
}
