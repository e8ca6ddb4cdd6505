import { type FormEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Refusal } from '../../components/checks.tsx'
import { FIELD, Field } from '../../components/field.tsx'
import { ASK as words } from '../../strings/ask.ts'
import { AnswerView } from './answer-view.tsx'
import { useConversation } from './use-conversation.ts'

const LONGEST = 4_000

/** Questions about the workspace, on any page. `of` is their owner and workspace. */
export function AskDrawer({ of, onClose }: { of: string; onClose: () => void }) {
  const talk = useConversation(of)
  const [text, setText] = useState('')
  const end = useRef<HTMLDivElement>(null)
  const field = useRef<HTMLTextAreaElement>(null)
  const shown = `${talk.turns.length} ${talk.looked.length} ${talk.isAsking}`
  // without a value: newer versions of Chromium answer with a promise, which React would take for a cleanup
  // biome-ignore lint/correctness/useExhaustiveDependencies: what has come is looked at
  useEffect(() => void end.current?.scrollIntoView({ block: 'nearest' }), [shown])
  useEffect(() => field.current?.focus(), [])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (talk.isAsking || text.trim() === '') return
    talk.ask(text.trim())
    setText('')
  }
  const press = (event: KeyboardEvent) => {
    // keys in here are never commands of the page
    event.stopPropagation()
    if (event.key === 'Escape') onClose()
  }
  const send = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) submit(event)
  }
  return (
    <aside
      aria-label={words.title}
      onKeyDown={press}
      className="fixed inset-y-0 right-0 z-20 flex w-full max-w-lg flex-col border-l bg-background p-4 shadow-lg print:hidden"
    >
      <div className="mb-2 flex flex-wrap items-baseline gap-3">
        <h2 className="text-lg font-semibold">{words.title}</h2>
        <span className="ml-auto flex gap-2">
          <Button onClick={talk.startOver}>{words.fresh}</Button>
          <Button onClick={onClose}>{words.close}</Button>
        </span>
      </div>
      <div className="min-h-0 flex-1 overflow-y-auto">
        <p className="text-sm text-muted-foreground">{words.intro}</p>
        <ol aria-label={words.title}>
          {talk.turns.map((turn) => (
            <AnswerView key={turn.turn_id} thread_id={talk.thread_id} turn={turn} />
          ))}
        </ol>
        {talk.open !== undefined && (
          <div className="py-3">
            <p className="break-words font-medium">
              <bdi>{talk.open}</bdi>
            </p>
            <ul className="text-sm text-muted-foreground">
              {talk.looked.map(({ id, name, rows }) => (
                <li key={id}>{words.looked(name, rows)}</li>
              ))}
            </ul>
            {talk.isAsking && <p role="status">{words.looking}</p>}
          </div>
        )}
        <Refusal error={talk.error} />
        <div ref={end} />
      </div>
      <form onSubmit={submit} className="mt-2">
        <Field name={words.query}>
          <textarea
            ref={field}
            rows={3}
            className={FIELD}
            value={text}
            maxLength={LONGEST}
            onKeyDown={send}
            onChange={({ target }) => setText(target.value)}
          />
        </Field>
        <div className="mt-2 flex gap-3">
          <Button type="submit" variant="default" aria-disabled={talk.isAsking}>
            {words.submit}
          </Button>
          {talk.isAsking && <Button onClick={talk.stop}>{words.stop}</Button>}
        </div>
      </form>
    </aside>
  )
}
