import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { Button } from '../../components/button.tsx'
import { FIELD } from '../../components/field.tsx'
import { sessionQuery, signIn } from '../../lib/session.ts'
import { useTitle } from '../../lib/use-title.ts'
import { STRINGS } from '../../strings.ts'

const words = STRINGS.sign_in

/** Shown at any address until the user has signed in, and then the page of that address. */
export function SignIn({ message, onSignedIn }: { message: string | undefined; onSignedIn: () => void }) {
  useTitle(words.title)
  const client = useQueryClient()
  const attempt = useMutation({
    mutationFn: ({ email, password }: { email: string; password: string }) => signIn(client, email, password),
    onSuccess: (session) => {
      client.setQueryData(sessionQuery.queryKey, session)
      onSignedIn()
    },
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const fields = new FormData(event.currentTarget)
    attempt.mutate({ email: String(fields.get('email')), password: String(fields.get('password')) })
  }
  const wrong = attempt.error?.message ?? message
  return (
    <main className="mx-auto mt-[12vh] max-w-sm rounded-xl p-6 sm:border sm:bg-card">
      <h1 className="mb-4 text-xl font-semibold sm:text-2xl">{words.title}</h1>
      {wrong !== undefined && (
        <p role="alert" className="mb-4 rounded-lg border bg-muted p-3 text-destructive">
          {wrong}
        </p>
      )}
      <form method="post" onSubmit={submit} className="space-y-4">
        <label className="block text-sm font-medium">
          {words.email}
          <input className={FIELD} type="email" name="email" autoComplete="username" required />
        </label>
        <label className="block text-sm font-medium">
          {words.password}
          <input className={FIELD} type="password" name="password" autoComplete="current-password" required />
        </label>
        <Button type="submit" variant="default" disabled={attempt.isPending} className="w-full justify-center">
          {attempt.isPending ? words.busy : words.submit}
        </Button>
      </form>
    </main>
  )
}
