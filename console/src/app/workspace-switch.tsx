import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { api, credentials, given } from '../lib/api.ts'
import { chooseWorkspace, type Session } from '../lib/session.ts'
import { STRINGS } from '../strings.ts'

/** The home of users of all workspaces. */
const HOME = `ws_${'0'.repeat(26)}`

/** The workspaces that the person may enter; their own, the first, while they have chosen none. */
export function WorkspaceSwitch({ user }: { user: NonNullable<Session['user']> }) {
  const client = useQueryClient()
  const { data: workspaces = [] } = useQuery({
    queryKey: ['workspaces'],
    queryFn: async () => given(await api.GET('/workspaces')),
  })
  const change = async (id: string) => {
    chooseWorkspace(id)
    await client.resetQueries({ predicate: ({ queryKey: [name] }) => name !== 'session' && name !== 'workspaces' })
  }
  const chosen = credentials.workspace ?? (user.workspaces.includes('*') ? HOME : user.workspaces[0])
  const gone = credentials.workspace !== null && workspaces.length > 0 && !workspaces.some(({ id }) => id === chosen)
  // the stored choice may be another user's
  useEffect(() => {
    if (!gone) return
    chooseWorkspace(null)
    void client.resetQueries()
  }, [gone, client])
  if (workspaces.length < 2) return null
  return (
    <label className="flex items-center gap-2 text-sm text-muted-foreground">
      {STRINGS.workspace}
      <select
        value={chosen}
        className="max-w-48 h-8 rounded-md border border-input bg-background px-2 text-foreground"
        onChange={({ target }) => void change(target.value)}
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
