import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect } from 'react'
import { workspacesQuery } from '../lib/account-queries.ts'
import { chooseWorkspace, useChosenWorkspace } from '../lib/session.ts'
import { useMe } from '../lib/use-me.ts'
import { STRINGS } from '../strings.ts'

/** The workspaces that the person may enter; their own, the first, while they have chosen none. The address names the chosen one. */
export function WorkspaceSwitch() {
  const client = useQueryClient()
  const navigate = useNavigate()
  const { workspace: inAddress } = useSearch({ strict: false })
  const { data: workspaces = [] } = useQuery(workspacesQuery)
  const { workspace: chosen } = useMe()
  const isKnown = (id: string | undefined) => workspaces.some((each) => each.id === id)
  const gone = useChosenWorkspace() !== null && workspaces.length > 0 && !isKnown(chosen)
  const next = gone
    ? null
    : inAddress !== undefined && inAddress !== chosen && isKnown(inAddress)
      ? inAddress
      : undefined
  // the stored choice may be another user's; the address changes when somebody goes back
  useEffect(() => {
    if (next === undefined) return
    chooseWorkspace(next)
    void client.resetQueries({ predicate: ({ queryKey: [name] }) => name !== 'session' && name !== 'workspaces' })
  }, [next, client])
  const show = (workspace: string, replace: boolean) =>
    void navigate({ to: '.', search: (search) => ({ ...search, workspace }), replace })
  useEffect(() => {
    if (workspaces.length > 1 && chosen !== undefined && inAddress !== chosen && next === undefined) show(chosen, true)
  })
  if (workspaces.length < 2) return null
  return (
    <label className="flex min-w-0 items-center gap-2 text-sm text-muted-foreground">
      <span className="max-md:sr-only">{STRINGS.workspace}</span>
      <select
        value={chosen}
        className="h-9 max-w-48 min-w-0 rounded-md border border-input bg-background px-2 text-foreground touch:min-h-11 max-md:max-w-32"
        onChange={({ target }) => show(target.value, false)}
      >
        {workspaces.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </label>
  )
}
