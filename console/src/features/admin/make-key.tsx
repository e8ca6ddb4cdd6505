import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { Schema } from '../../../../client/create-client.ts'
import { Button } from '../../components/button.tsx'
import { Checks, Refusal } from '../../components/checks.tsx'
import { FIELD, Field } from '../../components/field.tsx'
import { OnceShown } from '../../components/once-shown.tsx'
import { Empty } from '../../components/states.tsx'
import { api, given } from '../../lib/api.ts'
import { ADMIN } from '../../strings/admin.ts'
import type { ApiKey, User } from './api.ts'

const words = ADMIN.keys
type Scope = ApiKey['scopes'][number]

const SCOPES: readonly Scope[] = ['runs:read', 'runs:start', 'models:call', 'ask:query', 'approvals:on_behalf', 'admin']

const USUAL_DAYS = 90
const MAX_DAYS = 366

/** Makes a key of a service account; it is shown once and kept nowhere. */
export function MakeKey({ accounts }: { accounts: readonly User[] }) {
  const client = useQueryClient()
  const [scopes, setScopes] = useState<Scope[]>(['runs:read'])
  const make = useMutation({
    mutationFn: async (body: Schema<'ApiKeyDraft'>) => given(await api.POST('/admin/api-keys', { body })),
    onSuccess: () => client.invalidateQueries({ queryKey: ['api-keys'] }),
    gcTime: 0,
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = event.currentTarget
    const fields = new FormData(form)
    const body = {
      name: String(fields.get('name')),
      account: String(fields.get('account')),
      scopes,
      expires_in_days: Number(fields.get('days')),
    }
    make.mutate(body, { onSuccess: () => form.reset() })
  }
  const { data: made } = make
  return (
    <section className="mt-6 max-w-prose">
      <h3 className="mb-2 font-semibold">{words.make_title}</h3>
      {made !== undefined && (
        <OnceShown title={words.token(made.name)} secret={made.token} onGone={() => make.reset()} />
      )}
      {accounts.length === 0 ? (
        <Empty>{words.no_account}</Empty>
      ) : (
        <form aria-label={words.make_title} onSubmit={submit} className="space-y-3">
          <Field name={words.name}>
            <input className={FIELD} name="name" maxLength={100} autoComplete="off" required />
          </Field>
          <Field name={words.account}>
            <select className={FIELD} name="account">
              {accounts.map(({ id, email }) => (
                <option key={id} value={id}>
                  {email ?? id}
                </option>
              ))}
            </select>
          </Field>
          <Checks
            legend={words.scopes}
            choices={SCOPES}
            chosen={scopes}
            onChange={(next) => setScopes(SCOPES.filter((each) => next.includes(each)))}
          />
          <Field name={words.days}>
            <input
              className={FIELD}
              name="days"
              type="number"
              min={1}
              max={MAX_DAYS}
              defaultValue={USUAL_DAYS}
              required
            />
          </Field>
          <Refusal error={make.error} />
          <Button type="submit" variant="default" disabled={make.isPending || scopes.length === 0}>
            {make.isPending ? words.making : words.make}
          </Button>
        </form>
      )}
    </section>
  )
}
