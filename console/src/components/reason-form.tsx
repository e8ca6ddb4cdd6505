import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from './button.tsx'
import { FIELD } from './field.tsx'
import { Failed } from './states.tsx'

interface Props {
  title: string
  what: string
  field: string
  words: { send: string; busy: string; leave: string }
  variant: 'default' | 'destructive'
  /** without a reason it is not sent */
  isRequired?: boolean
  /** the queries that are out of date afterwards, also when it was refused */
  invalidates: string[][]
  act: (text: string) => Promise<unknown>
  onDone: () => void
  onLeave: () => void
}

/** Asks once more before something happens to a run or a pipeline, and why. */
export function ReasonForm({ isRequired = false, ...props }: Props) {
  const { title, what, field, words, variant, invalidates, act, onDone, onLeave } = props
  const client = useQueryClient()
  const [text, setText] = useState('')
  const send = useMutation({
    mutationFn: () => act(text.trim()),
    onSuccess: onDone,
    onSettled: () => Promise.all(invalidates.map((queryKey) => client.invalidateQueries({ queryKey }))),
  })
  return (
    <form
      aria-label={title}
      className="my-2 max-w-2xl rounded-lg border bg-card p-4 print:hidden"
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
      <p className="mb-2 text-muted-foreground">{what}</p>
      <label className="block text-sm text-muted-foreground">
        {field}
        <input
          // biome-ignore lint/a11y/noAutofocus: it was just asked for
          autoFocus
          required={isRequired}
          maxLength={4_000}
          value={text}
          onChange={({ target }) => setText(target.value)}
          className={FIELD}
        />
      </label>
      {send.error !== null && <Failed error={send.error} />}
      <p className="mt-3 flex gap-3">
        <Button type="submit" variant={variant} aria-disabled={send.isPending}>
          {send.isPending ? words.busy : words.send}
        </Button>
        <Button onClick={onLeave}>{words.leave}</Button>
      </p>
    </form>
  )
}
