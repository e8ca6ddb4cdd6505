import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Schema } from '../../../../client/create-client.ts'
import { Refusal } from '../../components/checks.tsx'
import { Confirm } from '../../components/confirm.tsx'
import { FIELD, Field } from '../../components/field.tsx'
import { api, given } from '../../lib/api.ts'
import { tell } from '../../lib/toast.ts'
import { useMe } from '../../lib/use-me.ts'
import { ADMIN } from '../../strings/admin.ts'
import { environmentsQuery, templatesQuery } from '../policies/api.ts'
import { liftHalt, type Workspace } from './api.ts'

const words = ADMIN.halts
const NOTHING = { workspace: '', environment: '', template: '', reason: '' }

/** Sets a halt, after a reason and a confirmation. */
export function SetHalt({ workspaces, onSet }: { workspaces: readonly Workspace[]; onSet?: () => void }) {
  const client = useQueryClient()
  const me = useMe()
  const environments = useQuery(environmentsQuery)
  const templates = useQuery(templatesQuery)
  const [draft, setDraft] = useState(NOTHING)
  const { id: own = '' } = workspaces.find(({ id }) => id === me.workspace) ?? workspaces[0] ?? {}
  const first = me.isAdminOfAll ? '' : own
  const workspace = draft.workspace || first
  const set = useMutation({
    mutationFn: async (body: Schema<'HaltDraft'>) => given(await api.POST('/console/api/halts', { body })),
    onSuccess({ id }) {
      setDraft(NOTHING)
      tell(words.set_done(what || words.everything), me.isAdmin ? () => lift(id) : undefined)
      onSet?.()
    },
    onSettled: () => client.invalidateQueries({ queryKey: ['halts'] }),
  })
  const { environment, template, reason } = draft
  const lift = async (id: string) => {
    await liftHalt(id)
    await client.invalidateQueries({ queryKey: ['halts'] })
    return words.lift_done
  }
  const scope = {
    ...(workspace !== '' && { workspace }),
    ...(environment !== '' && { environment }),
    ...(template !== '' && { template }),
  }
  const named = workspaces.find(({ id }) => id === workspace)?.name
  const what = [named, environment, template].filter((part) => part !== undefined && part !== '').join(', ')
  const choice = (
    name: string,
    value: string,
    choices: readonly (readonly [string, string])[],
    onSet: (value: string) => void,
  ) => (
    <Field name={name}>
      <select className={FIELD} value={value} onChange={({ target }) => onSet(target.value)}>
        {choices.map(([id, text]) => (
          <option key={id} value={id}>
            {text}
          </option>
        ))}
      </select>
    </Field>
  )
  const any = ['', words.any] as const
  return (
    <section aria-label={words.set_title} className="mt-6 max-w-prose space-y-3">
      <h3 className="font-semibold">{words.set_title}</h3>
      <Field name={words.reason} hint={words.reason_hint}>
        <input
          className={FIELD}
          maxLength={1_000}
          value={reason}
          onChange={({ target }) => setDraft({ ...draft, reason: target.value })}
        />
      </Field>
      <details className="space-y-3">
        <summary className="cursor-pointer text-sm touch:py-2.5">{words.covers(what || words.everything)}</summary>
        {choice(
          words.workspace,
          workspace,
          [...(me.isAdminOfAll ? [any] : []), ...workspaces.map(({ id, name }) => [id, name] as const)],
          (next) => setDraft({ ...draft, workspace: next }),
        )}
        {choice(
          words.environment,
          environment,
          [any, ...(environments.data ?? []).map(({ name }) => [name, name] as const)],
          (next) => setDraft({ ...draft, environment: next }),
        )}
        {choice(
          words.template,
          template,
          [
            any,
            ...(templates.data ?? []).map((each) => {
              const name = `${each.pack}/${each.template}`
              return [name, name] as const
            }),
          ],
          (next) => setDraft({ ...draft, template: next }),
        )}
      </details>
      <Refusal error={set.error} />
      <Confirm
        ask={set.isPending ? words.setting : words.set}
        question={words.set_sure(what || words.everything)}
        yes={words.set_yes}
        no={words.keep}
        busy={set.isPending || reason.trim() === ''}
        onYes={() => set.mutate({ scope, reason: reason.trim() })}
      />
    </section>
  )
}
