import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import type { Schema } from '../../../../client/create-client.ts'
import { Button } from '../../components/button.tsx'
import { Refusal } from '../../components/checks.tsx'
import { Time } from '../../components/facts.tsx'
import { FIELD, Field } from '../../components/field.tsx'
import { OWN_ZONE } from '../../lib/time.ts'
import { START } from '../../strings/start.ts'
import { CronPreview } from '../triggers/cron-preview.tsx'
import { OwnZone } from '../triggers/cron-words.tsx'
import { createSchedule, type NewSchedule, type Of, type StartRequest } from './api.ts'

const words = START.schedule

type When = Required<Pick<NewSchedule, 'name' | 'cron' | 'timezone'>> &
  Pick<NewSchedule, 'days' | 'catchup' | 'overlap'>
type Choice = 'days' | 'catchup' | 'overlap'

/** A schedule of the same start, with the form's values except secrets, which no schedule stores. */
export function SchedulePart({ of, request }: { of: Of; request: StartRequest }) {
  const client = useQueryClient()
  const [when, setWhen] = useState<When>({ name: '', cron: '', timezone: OWN_ZONE })
  const make = useMutation({
    mutationFn: () => createSchedule({ ...of, ...request, ...when }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['schedules'] }),
  })
  const set = (change: Partial<When>) => {
    setWhen({ ...when, ...change })
    make.reset()
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    make.mutate()
  }
  const text = (key: 'name' | 'cron' | 'timezone', hint?: string) => (
    <Field name={words[key]} {...(hint !== undefined && { hint })}>
      <input className={FIELD} value={when[key]} onChange={({ target }) => set({ [key]: target.value })} />
    </Field>
  )
  const choice = (key: Choice) => (
    <Field name={words[key]}>
      <select
        className={FIELD}
        value={when[key] ?? ''}
        onChange={({ target }) => set({ [key]: target.value === '' ? undefined : target.value })}
      >
        {Object.entries(words.choices[key]).map(([value, name]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </select>
    </Field>
  )
  return (
    <details className="mt-6">
      <summary className="cursor-pointer text-primary">{words.title}</summary>
      <form aria-label={words.title} className="mt-3 grid max-w-3xl gap-3 sm:grid-cols-2" onSubmit={submit}>
        <p className="text-sm text-muted-foreground sm:col-span-2">{words.intro}</p>
        {text('name', words.name_hint)}
        {text('timezone')}
        {text('cron', words.cron_hint)}
        <div className="self-center">{when.cron !== '' && <CronPreview times={when} />}</div>
        {choice('days')}
        {choice('catchup')}
        {choice('overlap')}
        <div className="sm:col-span-2">
          <Refusal error={make.error} />
          <Button type="submit" disabled={make.isPending || make.isSuccess || when.name === '' || when.cron === ''}>
            {words.make}
          </Button>
        </div>
      </form>
      {make.data !== undefined && <Made made={make.data} />}
    </details>
  )
}

function Made({ made: { name, timezone, next_fires } }: { made: Schema<'CreatedSchedule'> }) {
  return (
    <section aria-label={words.made(name)} className="mt-3">
      <p role="status" className="text-success">
        {words.made(name)}
      </p>
      <ol aria-label={words.next}>
        {next_fires.map((at) => (
          <li key={at}>
            <Time at={at} />
          </li>
        ))}
      </ol>
      <OwnZone unlike={timezone} />
      <Link to="/triggers" search={{ part: 'schedules' }} className="link">
        {words.all}
      </Link>
    </section>
  )
}
