import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { Schema } from '../../../../client/create-client.ts'
import { Asked } from '../../components/asked.tsx'
import { Button } from '../../components/button.tsx'
import { Refusal } from '../../components/checks.tsx'
import { Time } from '../../components/facts.tsx'
import { FIELD, Field } from '../../components/field.tsx'
import { api, given } from '../../lib/api.ts'
import { localTime } from '../../lib/time.ts'
import { ME } from '../../strings/me.ts'
import { delegatesQuery, type Me, meQuery } from './api.ts'

const words = ME.away

/** The end of an absence, and the delegate who answers gates meanwhile. */
export function AwayForm({ me }: { me: Me }) {
  const client = useQueryClient()
  const delegates = useQuery(delegatesQuery)
  const [until, setUntil] = useState(me.out_of_office_until === undefined ? '' : localTime(me.out_of_office_until))
  const [delegate, setDelegate] = useState(me.delegate_to ?? '')
  const change = useMutation({
    mutationFn: async (body: Schema<'OwnEdit'>) => given(await api.PATCH('/auth/me', { body })),
    onSuccess: (changed) => client.setQueryData(meQuery.queryKey, changed),
  })
  const save = (event: FormEvent) => {
    event.preventDefault()
    change.mutate({
      out_of_office_until: new Date(until).toISOString(),
      delegate_to: delegate === '' ? null : delegate,
    })
  }
  const isAway = me.out_of_office_until !== undefined && Date.parse(me.out_of_office_until) > Date.now()
  return (
    <section aria-label={words.title} className="mt-6 max-w-prose space-y-3">
      <h2 className="text-lg font-semibold">{words.title}</h2>
      <p className="text-muted-foreground">{words.intro}</p>
      <Asked query={delegates}>
        {(people) => {
          const named = people.find(({ id }) => id === me.delegate_to)?.display ?? me.delegate_to
          return (
            <form onSubmit={save} className="space-y-3">
              <p role="status" className={isAway ? 'font-medium text-warning' : ''}>
                {isAway && me.out_of_office_until !== undefined ? (
                  <>
                    {words.now} <Time at={me.out_of_office_until} />.{' '}
                    <bdi>{named === undefined ? words.by_nobody : words.by(named)}</bdi>
                  </>
                ) : (
                  words.not_now
                )}
              </p>
              <Field name={words.until}>
                <input
                  className={FIELD}
                  type="datetime-local"
                  required
                  min={localTime(new Date().toISOString())}
                  value={until}
                  onChange={({ target }) => setUntil(target.value)}
                />
              </Field>
              <Field name={words.delegate} {...(people.length === 0 && { hint: words.no_delegates })}>
                <select className={FIELD} value={delegate} onChange={({ target }) => setDelegate(target.value)}>
                  <option value="">{words.nobody}</option>
                  {people.map(({ id, display, email }) => (
                    <option key={id} value={id}>
                      {display === email ? email : `${display} (${email})`}
                    </option>
                  ))}
                </select>
              </Field>
              <Refusal error={change.error} />
              <div className="flex flex-wrap gap-2">
                <Button type="submit" variant="default" disabled={change.isPending || until === ''}>
                  {change.isPending ? words.saving : words.save}
                </Button>
                {isAway && (
                  <Button
                    disabled={change.isPending}
                    onClick={() => change.mutate({ out_of_office_until: null, delegate_to: null })}
                  >
                    {words.end}
                  </Button>
                )}
              </div>
            </form>
          )
        }}
      </Asked>
    </section>
  )
}
