import type { ConnectionPlace } from '#core/connection/kind-schema.ts'
import type { EgressClient } from '#platform/egress/egress-client.ts'

/**
 * Checks a place against what an environment may reach. An HTTP client checks each request itself; a database is looked up once, and the
 * session goes to the address that was checked. Rejects with `egress_denied` or `unreachable`.
 */
export async function reachOf(
  egress: Pick<EgressClient, 'resolve'>,
  { kind, config }: ConnectionPlace,
  rules: { egress: string[]; signal: AbortSignal },
): Promise<{ address?: string }> {
  if (kind !== 'postgres') return {}
  const { addresses } = await egress.resolve({ url: `http://${config['host']}:${config['port']}/`, ...rules })
  const [address] = addresses
  return address === undefined ? {} : { address }
}
