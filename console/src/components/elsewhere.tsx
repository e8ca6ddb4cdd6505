import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { workspacesQuery } from '../lib/account-queries.ts'
import { ApiError, api, WORKSPACE_HEADER } from '../lib/api.ts'
import { useMe } from '../lib/use-me.ts'
import { Failed, Loading } from './states.tsx'

type Path = '/runs/{id}' | '/pipelines/{id}' | '/console/api/remote-jobs/{id}'

/** More are not asked one by one. */
const MAX_ASKED = 50

/** The workspace that has it, among these; null where none has. */
async function workspaceWith(path: Path, id: string, workspaces: readonly string[], signal: AbortSignal) {
  for (const workspace of workspaces.slice(0, MAX_ASKED)) {
    const headers = { [WORKSPACE_HEADER]: workspace }
    const found = await api.GET(path, { params: { path: { id } }, headers, signal }).catch((error: unknown) => {
      if (error instanceof ApiError && (error.status === 404 || error.status === 403)) return undefined
      throw error
    })
    if (found?.data !== undefined) return workspace
  }
  return null
}

/** In the place of what is not in this workspace: leads to it in another one that the person may enter. */
export function Elsewhere({ path, id, error, again }: { path: Path; id: string; error: unknown; again: () => void }) {
  const me = useMe()
  const navigate = useNavigate()
  const isMissing = error instanceof ApiError && error.status === 404
  const { data: workspaces } = useQuery(workspacesQuery)
  const others = (workspaces ?? []).map((each) => each.id).filter((each) => each !== me.workspace)
  const { data: workspace } = useQuery({
    queryKey: ['elsewhere', path, id, me.workspace],
    queryFn: ({ signal }) => workspaceWith(path, id, others, signal),
    enabled: isMissing && workspaces !== undefined,
  })
  useEffect(() => {
    if (typeof workspace === 'string')
      void navigate({ to: '.', search: (search) => ({ ...search, workspace }), replace: true })
  }, [workspace, navigate])
  if (isMissing && workspace !== null) return <Loading />
  return <Failed error={error} again={again} />
}
