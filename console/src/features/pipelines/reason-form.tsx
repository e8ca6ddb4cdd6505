import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Failed } from '../../components/states.tsx'

interface Props {
  title: string
  what: string
  field: string
  words: { send: string; busy: string; leave: string }
  look: 'main' | 'danger'
  act: (text: string) => Promise<unknown>
  onLeave: () => void
}

/** Asks once more before something happens to a pipeline, and why. */
export function ReasonForm({ title, what, field, words, look, act, onLeave }: Props) {
  const client = useQueryClient()
  const [text, setText] = useState('')
  const send = useMutation({
    mutationFn: () => act(text.trim()),
    onSuccess: onLeave,
    onSettled: () => client.invalidateQueries({ queryKey: ['pipelines'] }),
  })
  return (
    <form
      aria-label={title}
      className="my-2 max-w-2xl rounded border border-line p-3 print:hidden"
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return
        event.preventDefault()
        onLeave()
      }}
      onSubmit={(event) => {
        event.preventDefault()
        if (!send.isPending) send.mutate()
      }}
    >
      <p className="mb-2 font-medium">{title}</p>
      <p className="mb-2 text-soft">{what}</p>
      <label className="block text-sm text-soft">
        {field}
        <input
          // biome-ignore lint/a11y/noAutofocus: it was just asked for
          autoFocus
          maxLength={4_000}
          value={text}
          onChange={({ target }) => setText(target.value)}
          className="mt-1 block w-full rounded border border-line bg-paper px-2 py-1 text-ink"
        />
      </label>
      {send.error !== null && <Failed error={send.error} />}
      <p className="mt-3 flex gap-3">
        <Button type="submit" look={look} aria-disabled={send.isPending}>
          {send.isPending ? words.busy : words.send}
        </Button>
        <Button onClick={onLeave}>{words.leave}</Button>
      </p>
    </form>
  )
}
