import { POLICIES } from '../../strings/policies.ts'
import type { Environment } from './api.ts'

const words = POLICIES.editor

interface Props {
  environments: readonly Environment[]
  wanted: string[]
  disabled: boolean
  onChange: (wanted: string[]) => void
}

/** In which environments a policy is to have an effect. */
export function AttachList({ environments, wanted, disabled, onChange }: Props) {
  return (
    <fieldset disabled={disabled} className="my-3">
      <legend className="font-semibold">{words.attach}</legend>
      <p className="text-sm text-muted-foreground">{disabled ? words.attach_admins : words.attach_hint}</p>
      <div className="flex flex-wrap gap-4">
        {environments.map(({ name }) => (
          <label key={name} className="flex items-center gap-2 break-words">
            <input
              type="checkbox"
              checked={wanted.includes(name)}
              onChange={({ target }) =>
                onChange(
                  environments
                    .map((each) => each.name)
                    .filter((each) => (each === name ? target.checked : wanted.includes(each))),
                )
              }
            />
            {name}
          </label>
        ))}
      </div>
    </fieldset>
  )
}
