import { useQuery } from '@tanstack/react-query'
import { may } from './may.ts'
import { sessionQuery } from './session.ts'

/** Who looks at the page, and what may be offered to them. */
export function useMe() {
  const user = useQuery(sessionQuery).data?.user
  const roles = user?.roles ?? []
  const workspaces = user?.workspaces ?? []
  const everywhere = workspaces.includes('*')
  return {
    id: user?.id ?? '',
    isOwner: may(roles, 'owner'),
    isAdmin: may(roles, 'admin'),
    mayEnter: (workspace: string) => everywhere || workspaces.includes(workspace),
    isApprover: may(roles, 'approver'),
    isOperator: may(roles, 'operator'),
    /** what stands above workspaces is changed by who may enter all of them */
    isAdminOfAll: may(roles, 'admin') && everywhere,
  }
}
