import { isGrpcServiceError } from '@temporalio/client'
import type { Readiness } from '#core/readiness.ts'
import type { TemporalConfig } from '../config.ts'
import { connectTemporal } from './connect.ts'
import { readTemporalTarget } from './temporal-connection.ts'

/** of gRPC's status codes */
const NOT_FOUND = 5
const PERMISSION_DENIED = 7
const UNAUTHENTICATED = 16
const ANSWER_MS = 5_000

/** Tells whether the configured cluster answers, accepts us and has the namespace. */
export async function temporalReadiness(config: TemporalConfig & { address: string }): Promise<Readiness> {
  const { namespace } = config
  const client = await connectTemporal(await readTemporalTarget(config)).catch((error: unknown) => error)
  if (!isClient(client)) return judge(client, config)
  try {
    await client.withDeadline(Date.now() + ANSWER_MS, () =>
      client.connection.workflowService.describeNamespace({ namespace }),
    )
    return { ready: true }
  } catch (error) {
    return judge(error, config)
  } finally {
    await client.connection.close()
  }
}

type Client = Awaited<ReturnType<typeof connectTemporal>>
const isClient = (value: unknown): value is Client => typeof value === 'object' && value !== null && 'workflow' in value

function judge(error: unknown, { address, namespace }: TemporalConfig & { address: string }): Readiness {
  const code = isGrpcServiceError(error) ? error.code : undefined
  if (code === NOT_FOUND)
    return {
      ready: false,
      refuse: `Temporal at ${address} has no namespace ${namespace}. Next: create it, as deploy/temporal/namespace.sh does, or set TEMPORAL_NAMESPACE`,
    }
  if (code === UNAUTHENTICATED || code === PERMISSION_DENIED)
    return {
      ready: false,
      refuse: `Temporal at ${address} does not let this process into namespace ${namespace}. Next: correct TEMPORAL_API_KEY, or TEMPORAL_TLS_CERT and TEMPORAL_TLS_KEY`,
    }
  // a certificate that is not accepted, for example, does not pass by waiting
  const why = error instanceof Error ? `: ${error.message.slice(0, 200)}` : ''
  return { ready: false, wait: `Temporal does not answer at ${address} (TEMPORAL_ADDRESS)${why}` }
}
