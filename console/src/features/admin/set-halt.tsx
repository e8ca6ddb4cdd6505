import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Confirm } from '../../components/confirm.tsx'
import { FIELD, Field } from '../../components/field.tsx'
import { useMe } from '../../lib/use-me.ts'
import { ADMIN } from '../../strings/admin.ts'
import { environmentsQuery, templatesQuery } from '../policies/api.ts'
import { environmentsOfQuery, type Workspace } from './api.ts'
import { scopeText } from './halt-scope.ts'
import { type Outcome, useSetHalts } from './use-set-halts.ts'

const words = ADMIN.halts
const ALL_OWN = ['*', words.all_own] as const
const NOTHING = { workspace: '', environment: '', template: '', reason: '' }

/** Sets a halt, after a reason and a confirmation; for somebody of several workspaces one for each. */
export function SetHalt({ workspaces, onSet }: { workspaces: readonly Workspace[]; onSet?: () => void }) {
  const me = useMe()
  const templates = useQuery(templatesQuery)
  const [draft, setDraft] = useState(NOTHING)
  const { set, outcomes } = useSetHalts({
    mayLift: me.isAdmin,
    onSet() {
      setDraft(NOTHING)
      onSet?.()
    },
  })
  const { environment, template, reason } = draft
  const own = workspaces.filter(({ id }) => me.mayEnter(id))
  const { id: onScreen = '' } = own.find(({ id }) => id === me.workspace) ?? own[0] ?? {}
  const workspace = draft.workspace || (me.isAdminOfAll ? '' : onScreen)
  const isOne = workspace !== '' && workspace !== ALL_OWN[0]
  const places = useQuery(isOne ? environmentsOfQuery(workspace) : environmentsQuery).data ?? []
  const chosen = workspace === ALL_OWN[0] ? own.map(({ id }) => id) : [workspace]
  const parts = chosen.map((id) => {
    const scope = {
      ...(id !== '' && { workspace: id }),
      ...(environment !== '' && { environment }),
      ...(template !== '' && { template }),
    }
    return { scope, what: scopeText(scope, workspaces) }
  })
  const what = parts.map((part) => part.what).join('; ')
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
  const of = choice(
    words.workspace,
    workspace,
    [...(me.isAdminOfAll ? [any] : own.length > 1 ? [ALL_OWN] : []), ...own.map(({ id, name }) => [id, name] as const)],
    // another workspace may have no such environment
    (next) => setDraft({ ...draft, workspace: next, environment: '' }),
  )
  // who may enter several sees which one it is about
  const isAsked = !me.isAdminOfAll && own.length > 1
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
      {isAsked && of}
      <details className="space-y-3">
        <summary className="cursor-pointer text-sm touch:py-2.5">{words.covers(what)}</summary>
        {!isAsked && of}
        {choice(
          words.environment,
          environment,
          [any, ...places.filter(({ granted }) => granted || !isOne).map(({ name }) => [name, name] as const)],
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
      <Outcomes outcomes={outcomes} />
      <Confirm
        ask={set.isPending ? words.setting : words.set}
        question={words.set_sure(what)}
        yes={words.set_yes}
        no={words.keep}
        busy={set.isPending || reason.trim() === ''}
        onYes={() => set.mutate({ parts, reason: reason.trim() })}
      />
    </section>
  )
}

/** Where not everything could be halted: what is halted, and what is not with the reason. */
function Outcomes({ outcomes }: { outcomes: readonly Outcome[] }) {
  if (outcomes.length === 0) return null
  return (
    <ul role="alert" className="my-2 space-y-1 whitespace-pre-wrap break-words rounded-lg border bg-muted p-3">
      {outcomes.map(({ what, error }) => (
        <li key={what} className={error === undefined ? '' : 'text-destructive'}>
          {error === undefined ? words.set_done(what) : words.not_set(what, error.message)}
        </li>
      ))}
    </ul>
  )
}
