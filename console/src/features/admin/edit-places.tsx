import { Checks } from '../../components/checks.tsx'
import { FIELD, Field } from '../../components/field.tsx'
import { useMe } from '../../lib/use-me.ts'
import { ADMIN } from '../../strings/admin.ts'
import type { Workspace } from './api.ts'
import { EVERYWHERE, placesAfter, withHome } from './places.ts'

const words = ADMIN.users

interface Props {
  /** those of the user, which the editor may not know */
  own: readonly string[]
  workspaces: readonly Workspace[]
  places: readonly string[]
  onChange: (places: string[]) => void
}

/** The workspaces of a user, and the one where they are when they name none. */
export function EditPlaces({ own, workspaces, places, onChange }: Props) {
  const me = useMe()
  const known = new Set([...workspaces.map(({ id }) => id), ...own])
  if (me.isAdminOfAll) known.add(EVERYWHERE)
  const nameOf = (id: string) =>
    id === EVERYWHERE ? words.every : (workspaces.find((each) => each.id === id)?.name ?? id)
  return (
    <>
      <Checks
        legend={words.workspaces}
        choices={[...known]}
        chosen={places}
        nameOf={nameOf}
        onChange={(chosen) => onChange(placesAfter(places, chosen))}
      />
      {places.length > 1 && (
        <Field name={words.home} hint={words.home_hint}>
          <select
            className={FIELD}
            value={places[0]}
            onChange={({ target }) => onChange(withHome(places, target.value))}
          >
            {places.map((id) => (
              <option key={id} value={id}>
                {nameOf(id)}
              </option>
            ))}
          </select>
        </Field>
      )}
    </>
  )
}
