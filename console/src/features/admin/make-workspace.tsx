import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import type { Schema } from '../../../../client/create-client.ts'
import { Button } from '../../components/button.tsx'
import { Refusal } from '../../components/checks.tsx'
import { FIELD, Field } from '../../components/field.tsx'
import { api, given } from '../../lib/api.ts'
import { ADMIN } from '../../strings/admin.ts'
import { environmentsQuery } from '../policies/api.ts'
import type { Workspace } from './api.ts'

const words = ADMIN.workspaces
/** the default environment of a workspace that is made without one */
const USUAL = 'development'

export function MakeWorkspace() {
  const client = useQueryClient()
  const [environment, setEnvironment] = useState<string>()
  const { data: environments } = useQuery(environmentsQuery)
  const names = [...new Set([USUAL, ...(environments ?? []).map(({ name }) => name)])]
  const isForAll = (name: string) =>
    environments?.some((each) => each.name === name && each.workspaces.includes('*')) ?? true
  const make = useMutation({
    mutationFn: async (body: Schema<'WorkspaceDraft'>) => given(await api.POST('/workspaces', { body })),
    onSuccess: () => client.invalidateQueries({ queryKey: ['workspaces'] }),
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = event.currentTarget
    const fields = new FormData(form)
    const body = {
      slug: String(fields.get('slug')),
      name: String(fields.get('name')),
      ...(environment !== undefined && { default_environment: environment }),
    }
    make.mutate(body, {
      onSuccess: () => {
        form.reset()
        setEnvironment(undefined)
      },
    })
  }
  return (
    <form aria-label={words.make_title} onSubmit={submit} className="mt-6 max-w-prose space-y-3">
      <h3 className="font-semibold">{words.make_title}</h3>
      <Field name={words.slug} hint={words.slug_hint}>
        <input className={FIELD} name="slug" maxLength={63} pattern="[a-z0-9]([a-z0-9\-]*[a-z0-9])?" required />
      </Field>
      <Field name={words.name}>
        <input className={FIELD} name="name" maxLength={200} required />
      </Field>
      <Field name={words.columns.environment} hint={words.environment_hint}>
        <select className={FIELD} value={environment ?? USUAL} onChange={({ target }) => setEnvironment(target.value)}>
          {names.map((name) => (
            <option key={name} value={name}>
              {isForAll(name) ? name : words.environment_later(name)}
            </option>
          ))}
        </select>
      </Field>
      <Refusal error={make.error} />
      {make.data !== undefined && (
        <Made workspace={make.data} isReady={isForAll(make.data.default_environment ?? USUAL)} />
      )}
      <Button type="submit" variant="default" disabled={make.isPending}>
        {words.make}
      </Button>
    </form>
  )
}

/** What is left to do before anything runs in it. */
function Made({ workspace, isReady }: { workspace: Workspace; isReady: boolean }) {
  const { name, default_environment = USUAL } = workspace
  return (
    <p role="status">
      {words.made(name)}{' '}
      {!isReady && (
        <>
          {words.needs_environment(default_environment)}{' '}
          <Link to="/triggers" search={{ part: 'environments', name: default_environment }} className="link">
            {words.to_environment(default_environment)}
          </Link>
        </>
      )}
    </p>
  )
}
