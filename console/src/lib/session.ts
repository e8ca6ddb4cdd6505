import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import type { Schema } from '#client/create-client.ts'
import { api, credentials, given } from './api.ts'

export type Session = Schema<'ConsoleSession'>

const RENEW_MS = 5 * 60_000
const WORKSPACE = 'svc.workspace'

let whose: string | undefined
const watching = new Set<() => void>()

credentials.workspace = localStorage.getItem(WORKSPACE)

// an address names its workspace
const linked = new URLSearchParams(location.search).get('workspace')
if (linked !== null) chooseWorkspace(linked)

/** The signed-in user; reloading also keeps the session alive while the page is open. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async ({ client }) => take(client, given(await api.GET('/console/api/session'))),
  refetchInterval: RENEW_MS,
  refetchOnWindowFocus: true,
  staleTime: RENEW_MS / 2,
})

export async function signIn(client: QueryClient, email: string, password: string): Promise<Session> {
  return take(client, given(await api.POST('/console/api/session', { body: { email, password } })))
}

/** Ends the session of this browser, or all that the user has. */
export async function signOut({ everywhere }: { everywhere: boolean }): Promise<void> {
  await (everywhere ? api.POST('/auth/logout') : api.DELETE('/console/api/session'))
  credentials.csrf = null
  // drafts and threads of this tab
  sessionStorage.clear()
  chooseWorkspace(null)
}

export function chooseWorkspace(id: string | null): void {
  credentials.workspace = id
  if (id === null) localStorage.removeItem(WORKSPACE)
  else localStorage.setItem(WORKSPACE, id)
  for (const tell of watching) tell()
}

function watch(tell: () => void) {
  watching.add(tell)
  return () => void watching.delete(tell)
}

/** The chosen workspace; null while it is the person's own. */
export const useChosenWorkspace = () => useSyncExternalStore(watch, () => credentials.workspace)

/** All tabs of a browser share one session. Data of one user is dropped for the next. */
function take(client: QueryClient, session: Session): Session {
  if (session.user?.id !== whose) client.removeQueries({ predicate: ({ queryKey: [name] }) => name !== 'session' })
  whose = session.user?.id
  credentials.csrf = session.csrf
  return session
}
