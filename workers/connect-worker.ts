import { NativeConnection } from '@temporalio/worker'
import type { Config } from '#platform/config.ts'
import { tlsOptions } from '#platform/temporal/connect.ts'
import { readTemporalTarget } from '#platform/temporal/temporal-connection.ts'

/** On loopback compression costs more than it saves. */
export async function connectWorker(config: Config & { temporal: { address: string } }): Promise<NativeConnection> {
  const { address, api_key, tls } = await readTemporalTarget(config.temporal)
  return await NativeConnection.connect({
    address,
    ...(api_key !== undefined && { apiKey: api_key }),
    ...(tls === undefined
      ? { grpcCompression: { codec: 'none' } as const }
      : { tls: tls === true ? true : tlsOptions(tls) }),
  })
}
