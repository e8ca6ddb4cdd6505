import { FIELD } from './field.tsx'

/** Where a new password is written, by the rules that the API has for one. */
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
