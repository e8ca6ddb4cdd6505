import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { Schema } from '../../../../client/create-client.ts'
import { Button } from '../../components/button.tsx'
import { Checks, Refusal } from '../../components/checks.tsx'
import { FIELD, Field } from '../../components/field.tsx'
import { OnceShown } from '../../components/once-shown.tsx'
import { api, given } from '../../lib/api.ts'
import { invitationLink } from '../../lib/places.ts'
import { type Role, useMe } from '../../lib/use-me.ts'
import { ADMIN } from '../../strings/admin.ts'
import type { Workspace } from './api.ts'
import { EditPlaces } from './edit-places.tsx'
import { rolesToGive, wordsOf } from './roles.ts'

const words = ADMIN.users

/** Invites a user. The link is shown once and not stored; a service account has none, because it uses keys. */
export function InviteUser({ workspaces }: { workspaces: readonly Workspace[] }) {
  const client = useQueryClient()
  const me = useMe()
  const [roles, setRoles] = useState<Role[]>([])
  const here: readonly string[] = me.workspace === undefined ? [] : [me.workspace]
  const [places, setPlaces] = useState(here)
  const invite = useMutation({
    mutationFn: async (body: Schema<'UserInvite'>) => given(await api.POST('/admin/users', { body })),
    onSuccess: () => client.invalidateQueries({ queryKey: ['users'] }),
    gcTime: 0,
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = event.currentTarget
    const fields = new FormData(form)
    const text = (name: string) => String(fields.get(name) ?? '').trim()
    const body = {
      email: text('email'),
      roles,
      workspaces: [...places],
      approval_roles: wordsOf(text('approval_roles')),
      ...(text('name') !== '' && { display_name: text('name') }),
    }
    invite.mutate(body, {
      onSuccess: () => {
        form.reset()
        setRoles([])
        setPlaces(here)
      },
    })
  }
  const { data: invited } = invite
  return (
    <section className="mt-6 max-w-prose">
      <h3 className="mb-2 font-semibold">{words.invite_title}</h3>
      {invited?.roles.includes('service') && (
        <p role="status" className="my-3">
          {words.account_invited(invited.email ?? invited.id)}
        </p>
      )}
      {invited !== undefined && !invited.roles.includes('service') && (
        <OnceShown
          title={words.invitation(invited.email ?? invited.id)}
          secret={invitationLink(invited.id, invited.invite_token)}
          use={words.invitation_use}
          onGone={() => invite.reset()}
        />
      )}
      <form aria-label={words.invite_title} onSubmit={submit} className="space-y-3">
        <Field name={words.email}>
          <input className={FIELD} type="email" name="email" maxLength={254} autoComplete="off" required />
        </Field>
        <Field name={words.name}>
          <input className={FIELD} name="name" maxLength={200} autoComplete="off" />
        </Field>
        <Checks
          legend={words.roles}
          choices={rolesToGive(me.isOwner)}
          chosen={roles}
          about={words.about_roles}
          onChange={setRoles}
        />
        <Field name={words.approval_roles} hint={words.approval_hint}>
          <input className={FIELD} name="approval_roles" maxLength={2_000} />
        </Field>
        <EditPlaces own={[]} workspaces={workspaces} places={places} onChange={setPlaces} />
        <Refusal error={invite.error} />
        <Button
          type="submit"
          variant="default"
          disabled={invite.isPending || roles.length === 0 || places.length === 0}
        >
          {invite.isPending ? words.inviting : words.invite}
        </Button>
      </form>
    </section>
  )
}
