import { useQuery } from '@tanstack/react-query'
import { FIELD, Field } from '../../components/field.tsx'
import { START } from '../../strings/start.ts'
import { grantedEnvironmentsQuery } from '../policies/api.ts'
import { settingsQuery } from '../triggers/settings-api.ts'

const words = START.form

export interface Placed {
  /** undefined: the workspace's own */
  environment?: string | undefined
  profile?: string | undefined
  reason: string
}

interface Props {
  placed: Placed
  /** the default environment */
  usual: string
  onChange: (placed: Placed) => void
}

/** The environment and profile, and their origin. */
export function EnvironmentFields({ placed, usual, onChange }: Props) {
  const environments = useQuery(grantedEnvironmentsQuery).data ?? []
  const profiles = useQuery(settingsQuery('profiles')).data ?? []
  const names = environments.map(({ name }) => name)
  const environment = placed.environment ?? usual
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      <Field name={words.environment}>
        <select
          className={FIELD}
          value={environment}
          onChange={({ target }) => onChange({ ...placed, environment: target.value })}
        >
          {(names.includes(environment) ? names : [environment, ...names]).map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </Field>
      <Field name={words.profile} hint={words.profile_hint}>
        <select
          className={FIELD}
          value={placed.profile ?? ''}
          onChange={({ target }) => onChange({ ...placed, profile: target.value === '' ? undefined : target.value })}
        >
          <option value="">{words.profile_default}</option>
          {profiles.map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </Field>
      <div className="sm:col-span-2">
        <Field name={words.reason} hint={words.reason_hint}>
          <textarea
            className={FIELD}
            rows={2}
            maxLength={4_000}
            value={placed.reason}
            onChange={({ target }) => onChange({ ...placed, reason: target.value })}
          />
        </Field>
      </div>
    </div>
  )
}
