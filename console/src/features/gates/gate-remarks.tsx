import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Eye } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Refusal } from '../../components/checks.tsx'
import { FIELD } from '../../components/field.tsx'
import { Ago } from '../../components/time.tsx'
import { useMe } from '../../lib/use-me.ts'
import { STRINGS } from '../../strings.ts'
import { acknowledge, comment, type PendingApproval } from './api.ts'

const words = STRINGS.gates.remarks

/** Who looks at a gate, and what people say about it: on record, and no vote. */
export function GateRemarks({ approval }: { approval: PendingApproval }) {
  const { gate_id, run_id, acknowledged, comments } = approval
  const client = useQueryClient()
  const me = useMe()
  const [text, setText] = useState('')
  const onSettled = () => {
    void client.invalidateQueries({ queryKey: ['gate', run_id] })
    void client.invalidateQueries({ queryKey: ['gates'] })
  }
  const look = useMutation({ mutationFn: () => acknowledge(gate_id), onSettled })
  const say = useMutation({ mutationFn: () => comment(gate_id, text.trim()), onSuccess: () => setText(''), onSettled })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (text.trim() !== '' && !say.isPending) say.mutate()
  }
  return (
    <section aria-label={words.title} className="mt-4 text-sm">
      <ul className="space-y-1">
        {acknowledged.map(({ by, name, at }) => (
          <li key={by} className="text-muted-foreground">
            {words.looks(name)} (<Ago at={at} />)
          </li>
        ))}
        {comments.map(({ by, name, at, text: said }) => (
          <li key={`${by} ${at}`} className="wrap-anywhere">
            <b>{name}</b> <bdi>{said}</bdi>{' '}
            <span className="text-muted-foreground">
              <Ago at={at} />
            </span>
          </li>
        ))}
      </ul>
      {me.isApprover && (
        <form aria-label={words.comment} onSubmit={submit} className="mt-2 flex max-w-2xl flex-wrap items-center gap-2">
          {!acknowledged.some(({ by }) => by === me.id) && (
            <Button size="sm" disabled={look.isPending} onClick={() => look.mutate()}>
              <Eye aria-hidden className="size-4" />
              {words.look}
            </Button>
          )}
          <input
            aria-label={words.comment}
            placeholder={words.comment}
            maxLength={2_000}
            value={text}
            onChange={({ target }) => {
              say.reset()
              setText(target.value)
            }}
            className={`${FIELD} mt-0 min-w-40 flex-1`}
          />
          <Button size="sm" type="submit" disabled={say.isPending}>
            {words.send}
          </Button>
        </form>
      )}
      <Refusal error={look.error ?? say.error} />
    </section>
  )
}
