import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { Schema } from '../../../../client/create-client.ts'
import { Button } from '../../components/button.tsx'
import { Refusal } from '../../components/checks.tsx'
import { FIELD, Field } from '../../components/field.tsx'
import { ApiError, api, given } from '../../lib/api.ts'
import { tell } from '../../lib/toast.ts'
import { ADMIN } from '../../strings/admin.ts'
import { DOCUMENTS } from '../../strings/documents.ts'
import { environmentsOfQuery, type Workspace } from './api.ts'

const words = ADMIN.workspaces
const LIMITS = ['realtime', 'background', 'daily_usd'] as const

/** Edits the name, default environment and limits of a workspace. An earlier save is not overwritten: the form shows it. */
export function EditWorkspace({ workspace, onDone }: { workspace: Workspace; onDone: () => void }) {
  const client = useQueryClient()
  const [environment, setEnvironment] = useState(workspace.default_environment)
  const { data: environments } = useQuery(environmentsOfQuery(workspace.id))
  const names = [...new Set([workspace.default_environment, ...(environments ?? []).map(({ name }) => name)])]
  const isUsable = (name: string) => environments?.some((each) => each.name === name && each.granted) ?? true
  const refresh = () => client.invalidateQueries({ queryKey: ['workspaces'] })
  const change = useMutation({
    mutationFn: async (body: Schema<'WorkspaceEdit'>) => {
      const params = { path: { id: workspace.id }, header: { 'if-match': workspace.etag } }
      return given(await api.PATCH('/workspaces/{id}', { params, body }))
    },
    onSuccess: async () => {
      tell(DOCUMENTS.is_saved(workspace.name))
      onDone()
      await refresh()
    },
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const fields = new FormData(event.currentTarget)
    const limits = LIMITS.flatMap((name) => {
      const text = String(fields.get(name) ?? '')
      return text === '' ? [] : [[name, Number(text)] as const]
    })
    const name = String(fields.get('name') ?? '').trim()
    change.mutate({
      ...(name !== workspace.name && { name }),
      ...(environment !== workspace.default_environment && { default_environment: environment }),
      limits: Object.fromEntries(limits),
    })
  }
  const isOvertaken = change.error instanceof ApiError && change.error.status === 412
  return (
    <form
      aria-label={words.edit(workspace.name)}
      onSubmit={submit}
      className="my-3 max-w-prose space-y-3 rounded-lg border bg-card p-4"
    >
      <h3 className="break-words font-semibold">{words.edit(workspace.name)}</h3>
      <Field name={words.name}>
        <input className={FIELD} name="name" maxLength={200} required defaultValue={workspace.name} />
      </Field>
      <Field name={words.columns.environment} hint={words.environment_hint}>
        <select className={FIELD} value={environment} onChange={({ target }) => setEnvironment(target.value)}>
          {names.map((name) => (
            <option key={name} value={name}>
              {isUsable(name) ? name : words.environment_gone(name)}
            </option>
          ))}
        </select>
      </Field>
      <p className="text-sm text-muted-foreground">{words.hint}</p>
      {LIMITS.map((name) => (
        <Field key={name} name={words.fields[name]}>
          <input
            className={FIELD}
            name={name}
            type="number"
            min={name === 'daily_usd' ? 0 : 1}
            step={name === 'daily_usd' ? 'any' : 1}
            defaultValue={workspace.limits[name]}
          />
        </Field>
      ))}
      {isOvertaken ? (
        <div role="alert" className="text-destructive">
          <p>{ADMIN.changed}</p>
          <Button onClick={() => void refresh()}>{ADMIN.reload}</Button>
        </div>
      ) : (
        <Refusal error={change.error} />
      )}
      <div className="flex gap-2">
        <Button type="submit" variant="default" disabled={change.isPending}>
          {words.save}
        </Button>
        <Button onClick={onDone}>{words.cancel}</Button>
      </div>
    </form>
  )
}
