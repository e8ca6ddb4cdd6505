import { useMutation } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { Button } from '../../components/button.tsx'
import { Refusal } from '../../components/checks.tsx'
import { FIELD, Field } from '../../components/field.tsx'
import { NewPassword } from '../../components/new-password.tsx'
import { api } from '../../lib/api.ts'
import { ME } from '../../strings/me.ts'

const words = ME.password

/** A new password for oneself, which takes the one before. */
export function OwnPassword({ id }: { id: string }) {
  const set = useMutation({
    mutationFn: (body: { password: string; current_password: string }) =>
      api.POST('/admin/users/{id}/password', { params: { path: { id } }, body }),
    gcTime: 0,
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const fields = new FormData(event.currentTarget)
    set.mutate({ current_password: String(fields.get('current')), password: String(fields.get('next')) })
  }
  return (
    <section aria-label={words.title} className="mt-6 max-w-prose">
      <h2 className="mb-2 text-lg font-semibold">{words.title}</h2>
      {set.isSuccess ? (
        <p role="status" className="text-success">
          {words.done}
        </p>
      ) : (
        <form onSubmit={submit} className="space-y-3">
          <Field name={words.current}>
            <input
              className={FIELD}
              name="current"
              type="password"
              autoComplete="current-password"
              maxLength={200}
              required
            />
          </Field>
          <Field name={words.next} hint={words.hint}>
            <NewPassword name="next" />
          </Field>
          <Refusal error={set.error} />
          <Button type="submit" disabled={set.isPending}>
            {words.set}
          </Button>
        </form>
      )}
    </section>
  )
}
