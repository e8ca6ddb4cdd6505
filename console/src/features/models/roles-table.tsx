import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Asked } from '../../components/asked.tsx'
import { Button } from '../../components/button.tsx'
import { Refusal } from '../../components/checks.tsx'
import { FIELD } from '../../components/field.tsx'
import { PlainTable } from '../../components/plain-table.tsx'
import { ApiError } from '../../lib/api.ts'
import { useMe } from '../../lib/use-me.ts'
import { MODELS } from '../../strings/models.ts'
import { ROLES, type RoleName, type Roles, rolesQuery, saveRoles } from './api.ts'

const words = MODELS.roles

/** The model of each role; admins bind them here, over `models.yaml`. */
export function RolesTable({ models }: { models: readonly string[] }) {
  return (
    <>
      <p className="mb-2 max-w-prose text-muted-foreground">{words.intro}</p>
      <Asked query={useQuery(rolesQuery)}>{(roles) => <Edit key={roles.etag} found={roles} models={models} />}</Asked>
    </>
  )
}

function Edit({ found, models }: { found: Roles; models: readonly string[] }) {
  const client = useQueryClient()
  const { isAdminOfAll: mayEdit } = useMe()
  const [bound, setBound] = useState<Roles['said']>(found.said)
  const save = useMutation({
    mutationFn: () => saveRoles(bound, found.etag),
    onSuccess: (saved) => {
      client.setQueryData(rolesQuery.queryKey, saved)
      void client.invalidateQueries({ queryKey: ['models'] })
    },
    onError: () => void client.invalidateQueries({ queryKey: rolesQuery.queryKey }),
  })
  const say = (role: RoleName, change: { model?: string; fallback?: string }) => {
    const { [role]: before, ...rest } = bound
    const { model = '', fallback = '' } = { ...before, ...change }
    if (model === '') return setBound(rest)
    setBound({ ...rest, [role]: { model, ...(fallback !== '' && { fallback }) } })
  }
  const isStale = save.error instanceof ApiError && save.error.status === 412
  return (
    <>
      <PlainTable
        label={words.title}
        columns={[words.columns.role, words.columns.model, words.columns.fallback, words.columns.where]}
        rows={ROLES.map((role) => {
          const own = bound[role]
          const held = found.roles[role]
          return {
            key: role,
            cells: mayEdit
              ? [
                  role,
                  <Choice
                    key="model"
                    label={words.choose(role)}
                    value={own?.model ?? ''}
                    otherwise={words.as_file}
                    models={models}
                    onChange={(model) => say(role, { model })}
                  />,
                  <Choice
                    key="fallback"
                    label={words.choose_fallback(role)}
                    value={own?.fallback ?? ''}
                    otherwise={words.none}
                    models={own === undefined ? [] : models}
                    onChange={(fallback) => say(role, { fallback })}
                  />,
                  <Held key="held" held={held} />,
                ]
              : [role, held?.model ?? words.unset, held?.fallback ?? words.none, <Held key="held" held={held} />],
          }
        })}
      />
      {mayEdit && (
        <Button className="mt-2" disabled={save.isPending} onClick={() => save.mutate()}>
          {words.save}
        </Button>
      )}
      {isStale ? (
        <p role="alert" className="text-destructive">
          {words.changed}
        </p>
      ) : (
        <Refusal error={save.error} />
      )}
    </>
  )
}

/** The effective model, and its layer. */
function Held({ held }: { held: Roles['roles'][RoleName] }) {
  if (held === undefined) return <span className="text-muted-foreground">{words.unset}</span>
  return (
    <span>
      {held.model} <span className="text-muted-foreground">({words.layers[held.layer]})</span>
      {held.problem !== undefined && <span className="block text-destructive">{held.problem}</span>}
    </span>
  )
}

interface ChoiceProps {
  label: string
  value: string
  otherwise: string
  models: readonly string[]
  onChange: (model: string) => void
}

function Choice({ label, value, otherwise, models, onChange }: ChoiceProps) {
  return (
    <select aria-label={label} className={FIELD} value={value} onChange={({ target }) => onChange(target.value)}>
      <option value="">{otherwise}</option>
      {models.map((id) => (
        <option key={id} value={id}>
          {id}
        </option>
      ))}
    </select>
  )
}
