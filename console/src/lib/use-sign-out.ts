import { useMutation, useQueryClient } from '@tanstack/react-query'
import { sessionQuery, signOut } from './session.ts'

/** Signs out, and drops what was loaded for the user. */
export function useSignOut() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: signOut,
    onSettled: async () => {
      client.removeQueries({ predicate: ({ queryKey: [name] }) => name !== 'session' })
      await client.invalidateQueries({ queryKey: sessionQuery.queryKey })
    },
  })
}
