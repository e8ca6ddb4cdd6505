import { useMutation } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { Button } from '../../components/button.tsx'
import { Refusal } from '../../components/checks.tsx'
import { Field } from '../../components/field.tsx'
import { NewPassword } from '../../components/new-password.tsx'
import { api } from '../../lib/api.ts'
import { ADMIN } from '../../strings/admin.ts'
import type { User } from './api.ts'

const words = ADMIN.users

/** Sets the password of another user. */
export function SetPassword({ user }: { user: User }) {
  const set = useMutation({
    mutationFn: (password: string) =>
      api.POST('/admin/users/{id}/password', { params: { path: { id: user.id } }, body: { password } }),
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = event.currentTarget
    set.mutate(String(new FormData(form).get('password')), { onSuccess: () => form.reset() })
  }
  return (
    <form onSubmit={submit} className="space-y-2 border-t pt-3">
      <Field name={words.password} hint={words.password_hint}>
        <NewPassword name="password" />
      </Field>
      <Button type="submit" disabled={set.isPending}>
        {words.password}
      </Button>
      {set.isSuccess && <p role="status">{words.password_set}</p>}
      <Refusal error={set.error} />
    </form>
  )
}
