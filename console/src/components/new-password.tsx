import { FIELD } from './field.tsx'

/** The field of a new password, with the API's rules. */
export function NewPassword({ name }: { name: string }) {
  return (
    <input
      className={FIELD}
      name={name}
      type="password"
      autoComplete="new-password"
      minLength={12}
      maxLength={200}
      required
    />
  )
}
