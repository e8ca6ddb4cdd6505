import { readFile } from 'node:fs/promises'
import type { ConnectionLike } from '@temporalio/client'
import { DomainError } from '#core/errors.ts'
import type { TemporalConfig } from '../config.ts'
import type { TemporalTarget } from './connect.ts'

/** The cluster that the settings name, with its certificates read: an API key alone means TLS, too. */
export async function readTemporalTarget({
  address,
  namespace,
  apiKey,
  tls,
}: TemporalConfig & { address: string }): Promise<TemporalTarget> {
  const files = {
    ...(tls.cert !== undefined && { cert: await readFile(tls.cert) }),
    ...(tls.key !== undefined && { key: await readFile(tls.key) }),
    ...(tls.ca !== undefined && { ca: await readFile(tls.ca) }),
  }
  const secured = Object.keys(files).length > 0 ? { tls: files } : apiKey === undefined ? {} : { tls: true as const }
  return { address, namespace, ...(apiKey !== undefined && { api_key: apiKey }), ...secured }
}

/** Connects to a cluster for as long as `use` runs, or throws with the address that did not answer. */
export async function withTemporal(
  target: TemporalTarget,
  use: (connection: ConnectionLike) => Promise<void>,
): Promise<void> {
  const { connectTemporal } = await import('./connect.ts')
  const { connection } = await connectTemporal(target).catch((cause: unknown) => {
    throw new DomainError(
      'dependency_unavailable',
      `Temporal at ${target.address} does not answer (TEMPORAL_ADDRESS)`,
      {},
      { cause },
    )
  })
  try {
    await use(connection)
  } finally {
    await connection.close()
  }
}
