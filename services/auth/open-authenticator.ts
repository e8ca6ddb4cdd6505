import type { Tokens } from '#platform/tokens.ts'
import { type Authenticator, LOCAL_ACTOR } from './authenticator.ts'
import { bearerOf } from './bearer-of.ts'

/** Everyone is the local owner. A token of this installation says which of its programs asks; any other is as good as none. */
export function createOpenAuthenticator(tokens: Pick<Tokens, 'verify'> | undefined): Authenticator {
  return {
    enabled: false,
    person: async () => LOCAL_ACTOR,
    async actor(authorization) {
      const token = bearerOf(authorization)
      const client_id = token === undefined ? undefined : (await tokens?.verify(token))?.client_id
      return client_id === undefined ? LOCAL_ACTOR : { ...LOCAL_ACTOR, client_id }
    },
  }
}
