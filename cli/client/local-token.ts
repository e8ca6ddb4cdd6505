import { isLoopback } from '#core/egress/classify.ts'
import type { Config } from '#platform/config.ts'
import { readSecretKey } from '#platform/embedded/secret-key.ts'
import { createLocalTokens } from '#platform/tokens.ts'

/**
 * Issues a token for the service of this machine while authentication is off, so that the channel is recorded as `cli`; undefined without
 * the key of the installation. It is sent to no other machine.
 */
export async function localToken({ apiUrl, home, environment }: Config): Promise<string | undefined> {
  if (!isLoopback(new URL(apiUrl).hostname.replaceAll(/[[\]]/g, ''))) return undefined
  const key = environment.SVC_SECRET_KEY ?? (await readSecretKey(home).catch(() => undefined))
  return key === undefined ? undefined : await createLocalTokens(key, Date.now).issue('svc-cli')
}
