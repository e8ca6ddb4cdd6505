import type { Clock } from '#core/time/time.ts'
import { deriveKey } from './command-seal.ts'
import { createTokens, type Tokens } from './tokens.ts'

const TTL_MS = 60_000

/**
 * Tokens of an installation without authentication. They say which of its own programs asks, and nothing else: anyone who can read the
 * master key can make one. With authentication on they are worth nothing.
 */
export function createLocalTokens(
  masterKey: string,
  clock: Clock,
): Pick<Tokens, 'verify'> & {
  issue(clientId: string): Promise<string>
} {
  const secret = deriveKey(masterKey, 'local-clients').toString('hex')
  const tokens = createTokens({ secret, ttl_ms: TTL_MS, clock })
  const nobody = { id: 'usr_local', email: '', account_id: 'acc_local', roles: [], workspaces: [], token_version: 0 }
  return {
    verify: tokens.verify,
    issue: async (clientId) => (await tokens.issue(nobody, [], clientId)).token,
  }
}
