import { useMutation } from '@tanstack/react-query'
import { useLocation, useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Refusal } from '../../components/checks.tsx'
import { Field } from '../../components/field.tsx'
import { NewPassword } from '../../components/new-password.tsx'
import { ApiError, api } from '../../lib/api.ts'
import { CONSOLE_URL, readInvitation } from '../../lib/places.ts'
import { useTitle } from '../../lib/use-title.ts'
import { STRINGS } from '../../strings.ts'

const words = STRINGS.join

/** The page of an invitation: its holder sets the first password, and signs in with it. */
export function JoinPage() {
  useTitle(words.title)
  const invitation = readInvitation(useLocation({ select: ({ hash }) => hash }))
  const navigate = useNavigate()
  const [differs, setDiffers] = useState(false)
  const join = useMutation({
    mutationFn: ({ id, invite_token, password }: { id: string; invite_token: string; password: string }) =>
      api.POST('/admin/users/{id}/password', {
        params: { path: { id } },
        body: { password, invite_token },
        // the invitation identifies the user, not an existing session
        credentials: 'omit',
      }),
    onSuccess: () => navigate({ to: '/join', hash: '', replace: true }),
    gcTime: 0,
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const fields = new FormData(event.currentTarget)
    const password = String(fields.get('password'))
    const isSame = password === fields.get('again')
    setDiffers(!isSame)
    if (isSame && invitation !== undefined) join.mutate({ ...invitation, password })
  }
  return (
    <main className="mx-auto mt-16 max-w-sm p-4">
      <h1 className="mb-4 text-xl font-semibold sm:text-2xl">{words.title}</h1>
      {join.isSuccess ? (
        <p role="status">
          {words.done}{' '}
          <a href={CONSOLE_URL} className="underline">
            {words.sign_in}
          </a>
        </p>
      ) : invitation === undefined ? (
        <p role="alert">{words.incomplete}</p>
      ) : (
        <form onSubmit={submit} className="space-y-4">
          <Field name={words.password} hint={words.hint}>
            <NewPassword name="password" />
          </Field>
          <Field name={words.again}>
            <NewPassword name="again" />
          </Field>
          {differs && (
            <p role="alert" className="text-destructive">
              {words.differs}
            </p>
          )}
          {isOver(join.error) ? (
            <p role="alert" className="text-destructive">
              {words.over}
            </p>
          ) : (
            <Refusal error={join.error} />
          )}
          <Button type="submit" variant="default" disabled={join.isPending}>
            {words.submit}
          </Button>
        </form>
      )}
    </main>
  )
}

/** Without a valid invitation the API only reports that there is no session. */
const isOver = (error: Error | null): boolean => error instanceof ApiError && error.status === 401
