import { Connection } from '@temporalio/client'

const WITHIN_MS = 2_000

/** Settles when the server knows its first namespace, which is later than when it listens. */
export async function askTemporal(address: string): Promise<void> {
  const connection = await Connection.connect({ address, connectTimeout: WITHIN_MS })
  try {
    await connection.withDeadline(Date.now() + WITHIN_MS, () =>
      connection.workflowService.describeNamespace({ namespace: 'default' }),
    )
  } finally {
    await connection.close()
  }
}
