import { ADMIN } from '../strings/admin.ts'
import { Button } from './button.tsx'
import { Copyable } from './copyable.tsx'

/** A secret that is shown once: only this page has it. */
export function OnceShown({
  title,
  secret,
  use,
  onGone,
}: {
  title: string
  secret: string
  use?: string
  onGone: () => void
}) {
  return (
    <section role="status" aria-label={title} className="my-3 rounded border border-primary bg-muted p-3">
      <h3 className="font-semibold">{title}</h3>
      <p className="font-medium text-warning">{ADMIN.secret.once}</p>
      <p className="my-2">
        <Copyable text={secret} />
      </p>
      {use !== undefined && <p className="break-words text-sm text-muted-foreground">{use}</p>}
      <Button onClick={onGone}>{ADMIN.secret.gone}</Button>
    </section>
  )
}
