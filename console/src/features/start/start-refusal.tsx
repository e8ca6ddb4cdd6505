import { Button } from '../../components/button.tsx'
import { Refusal } from '../../components/checks.tsx'
import { ApiError } from '../../lib/api.ts'
import { START } from '../../strings/start.ts'
import { InvalidInput } from './invalid-input.ts'

const words = START.form

/** Why nothing was started, with advice. */
export function StartRefusal({ error, onReload }: { error: Error | null; onReload: () => void }) {
  if (error instanceof InvalidInput)
    return (
      <div role="alert" className="rounded-lg border bg-muted p-3 text-destructive">
        <p>{words.wrong}</p>
        <ul className="list-disc pl-5">
          {error.faults.map(({ loc, msg }) => (
            <li key={`${loc.join('.')} ${msg}`} className="break-words">
              {loc.length > 0 && <code>{loc.join('.')}</code>} {msg}
            </li>
          ))}
        </ul>
      </div>
    )
  if (error instanceof ApiError && error.code === 'plan_changed')
    return (
      <div role="alert" className="rounded-lg border bg-muted p-3">
        <p className="text-destructive">{words.changed}</p>
        <Button onClick={onReload}>{words.reload}</Button>
      </div>
    )
  return <Refusal error={error} />
}
