import { Button } from '../../components/button.tsx'
import { FIELD, Field } from '../../components/field.tsx'
import { CONNECTIONS } from '../../strings/connections.ts'
import type { Connection } from './api.ts'

const words = CONNECTIONS.form

interface Props {
  /** what people call it */
  name: string
  stored: Connection['secret'] | undefined
  /** undefined: the stored one stays */
  secret: string | undefined
  error: string | undefined
  onChange: (secret: string | undefined) => void
}

/** Takes a secret and shows none; a stored one is known by its fingerprint alone. */
export function SecretField({ name, stored, secret, error, onChange }: Props) {
  const isKept = stored?.set === true && secret === undefined
  if (isKept && error === undefined)
    return (
      <div className="text-sm">
        <p className="font-medium">{name}</p>
        <p className="mt-1 flex flex-wrap items-center gap-3">
          {CONNECTIONS.secret_set(stored.fingerprint ?? '')}
          <Button size="sm" onClick={() => onChange('')}>
            {CONNECTIONS.replace}
          </Button>
        </p>
      </div>
    )
  return (
    <div>
      <Field name={name} hint={words.secret_hint} error={error}>
        <input
          className={FIELD}
          type="password"
          name="secret"
          autoComplete="new-password"
          // biome-ignore lint/a11y/noAutofocus: the user asked for this field
          autoFocus={stored?.set === true}
          maxLength={8_192}
          aria-invalid={error !== undefined}
          value={secret ?? ''}
          onChange={({ target }) => onChange(target.value)}
        />
      </Field>
      {stored?.set === true && (
        <Button size="sm" variant="ghost" className="mt-1" onClick={() => onChange(undefined)}>
          {words.secret_keep}
        </Button>
      )}
    </div>
  )
}
