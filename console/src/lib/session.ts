import { queryOptions } from '@tanstack/react-query'
import type { Schema } from '#client/create-client.ts'
import { api, credentials, given } from './api.ts'

export type Session = Schema<'ConsoleSession'>

const RENEW_MS = 5 * 60_000
const WORKSPACE = 'svc.workspace'

credentials.workspace = localStorage.getItem(WORKSPACE)

/** Who is signed in; asking also keeps the session alive while the page is looked at. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async () => take(given(await api.GET('/console/api/session'))),
  refetchInterval: RENEW_MS,
  refetchOnWindowFocus: true,
  staleTime: RENEW_MS / 2,
})

export async function signIn(email: string, password: string): Promise<Session> {
  return take(given(await api.POST('/console/api/session', { body: { email, password } })))
}

export async function signOut(): Promise<void> {
  await api.DELETE('/console/api/session')
  credentials.csrf = null
  chooseWorkspace(null)
}

export function chooseWorkspace(id: string | null): void {
  credentials.workspace = id
  if (id === null) localStorage.removeItem(WORKSPACE)
  else localStorage.setItem(WORKSPACE, id)
}

function take(session: Session): Session {
  credentials.csrf = session.csrf
  return session
}
