import { CONNECTIONS } from '../../strings/connections.ts'
import type { Connection, KindForm } from './api.ts'

interface Props {
  forms: readonly KindForm[]
  chosen: Connection['kind']
  onChoose: (form: KindForm) => void
}

/** One of the kinds of connections. */
export function KindChoice({ forms, chosen, onChoose }: Props) {
  return (
    <fieldset>
      <legend className="text-sm font-medium">{CONNECTIONS.form.kind}</legend>
      <div className="mt-1 grid gap-3 sm:grid-cols-2">
        {forms.map((form) => (
          <label
            key={form.kind}
            className="flex min-h-11 cursor-pointer items-center gap-3 rounded-lg border bg-card px-4 py-2 has-checked:border-primary"
          >
            <input
              type="radio"
              name="kind"
              value={form.kind}
              checked={form.kind === chosen}
              onChange={() => onChoose(form)}
            />
            {form.title}
          </label>
        ))}
      </div>
    </fieldset>
  )
}
