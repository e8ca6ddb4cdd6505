import { useQuery } from '@tanstack/react-query'
import { Navigate } from '@tanstack/react-router'
import { sessionQuery } from '../lib/session.ts'
import { may } from '../lib/use-me.ts'

/** Anyone who may approve begins with what waits for them. */
export function FirstPage() {
  const { data } = useQuery(sessionQuery)
  const roles = data?.user?.roles ?? []
  return may(roles, 'approver') ? (
    <Navigate to="/gates" search={{}} replace />
  ) : (
    <Navigate to="/runs" search={{}} replace />
  )
}
