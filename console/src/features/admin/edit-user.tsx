import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Schema } from '../../../../client/create-client.ts'
import { Button } from '../../components/button.tsx'
import { Checks, Refusal } from '../../components/checks.tsx'
import { Confirm } from '../../components/confirm.tsx'
import { FIELD, Field } from '../../components/field.tsx'
import { ApiError, api, given } from '../../lib/api.ts'
import { tell } from '../../lib/toast.ts'
import { type Role, useMe } from '../../lib/use-me.ts'
import { ADMIN } from '../../strings/admin.ts'
import { DOCUMENTS } from '../../strings/documents.ts'
import type { User, Workspace } from './api.ts'
import { EditPlaces } from './edit-places.tsx'
import { rolesOf, rolesToGive, wordsOf } from './roles.ts'
import { SetPassword } from './set-password.tsx'

const words = ADMIN.users

interface Props {
  user: User
  workspaces: readonly Workspace[]
  onDone: () => void
}

/** Edits a user's rights, workspaces and status. An earlier save is not overwritten: the form shows it. */
export function EditUser({ user, workspaces, onDone }: Props) {
  const client = useQueryClient()
  const me = useMe()
  const [roles, setRoles] = useState<Role[]>(rolesOf(user.roles))
  const [approval, setApproval] = useState(user.approval_roles.join(', '))
  const [places, setPlaces] = useState<readonly string[]>(user.workspaces)
  const refresh = () => client.invalidateQueries({ queryKey: ['users'] })
  const change = useMutation({
    mutationFn: async (body: Schema<'UserEdit'>) => {
      // disabling a user needs no version
      const header = body.status === 'disabled' || user.etag === undefined ? {} : { 'if-match': user.etag }
      return given(await api.PATCH('/admin/users/{id}', { params: { path: { id: user.id }, header }, body }))
    },
    onSuccess: async () => {
      tell(DOCUMENTS.is_saved(user.email ?? user.id))
      onDone()
      await refresh()
    },
  })
  const who = user.email ?? user.id
  const save = () => {
    const next = wordsOf(approval)
    change.mutate({
      // new roles end every session, so that those that stay are not sent
      ...(roles.join() !== rolesOf(user.roles).join() && { roles }),
      ...(next.join() !== user.approval_roles.join() && { approval_roles: next }),
      ...(places.join() !== user.workspaces.join() && { workspaces: [...places] }),
    })
  }
  return (
    <section aria-label={words.edit(who)} className="my-3 max-w-prose space-y-3 rounded-lg border bg-card p-4">
      <h3 className="break-words font-semibold">{words.edit(who)}</h3>
      <Checks
        legend={words.roles}
        choices={rolesToGive(me.isOwner)}
        chosen={roles}
        about={words.about_roles}
        onChange={setRoles}
      />
      <Field name={words.approval_roles} hint={words.approval_hint}>
        <input
          className={FIELD}
          value={approval}
          maxLength={2_000}
          onChange={({ target }) => setApproval(target.value)}
        />
      </Field>
      <EditPlaces own={user.workspaces} workspaces={workspaces} places={places} onChange={setPlaces} />
      {change.error instanceof ApiError && change.error.status === 412 ? (
        <div role="alert" className="text-destructive">
          <p>{ADMIN.changed}</p>
          <Button onClick={() => void refresh()}>{ADMIN.reload}</Button>
        </div>
      ) : (
        <Refusal error={change.error} />
      )}
      <div className="flex flex-wrap gap-2">
        <Button
          variant="default"
          disabled={change.isPending || roles.length === 0 || places.length === 0}
          onClick={save}
        >
          {words.save}
        </Button>
        <Button onClick={onDone}>{words.cancel}</Button>
        {user.status === 'active' && user.id !== me.id && (
          <Confirm
            ask={words.disable}
            question={words.disable_sure(who)}
            yes={words.disable_yes}
            no={words.keep}
            onYes={() => change.mutate({ status: 'disabled' })}
          />
        )}
        {user.status === 'disabled' && (
          <Button onClick={() => change.mutate({ status: 'active' })}>{words.enable}</Button>
        )}
        {user.status === 'invited' && user.roles.includes('service') && (
          <Button onClick={() => change.mutate({ status: 'active' })}>{words.let_in}</Button>
        )}
      </div>
      {user.id !== me.id && user.email !== undefined && !user.roles.includes('service') && <SetPassword user={user} />}
    </section>
  )
}
