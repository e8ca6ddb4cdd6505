import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadConfig } from '#platform/config.ts'
import { findFreePort } from '#platform/embedded/free-port.ts'
import { startPostgres } from '#platform/embedded/postgres.ts'
import { prepareNamespace } from '#platform/embedded/prepare-namespace.ts'
import { startTemporal } from '#platform/embedded/temporal.ts'
import { resolveTemporalServer } from '#platform/embedded/temporal-server.ts'
import { createLogger } from '#platform/logger.ts'
import { withTemporal } from '#platform/temporal/temporal-connection.ts'

export interface TestStack {
  /** superuser url */
  postgres_url: string
  /** host:port */
  temporal_address: string
  stop(): Promise<void>
}

/** Two suites that start at the same moment look for free ports at different ones. */
const APART = (process.pid % 100) * 10

export const testLog = createLogger({ level: 'silent', name: 'test' })

/** A directory of its own under the temporary directory. */
export async function createTestHome(): Promise<{ home: string; remove(): Promise<void> }> {
  const home = await mkdtemp(join(tmpdir(), 'svc-test-'))
  return { home, remove: () => rm(home, { recursive: true, force: true }) }
}

/** The servers that DATABASE_URL and TEMPORAL_ADDRESS name, else servers of its own that vanish with `stop`. */
export async function startTestStack(): Promise<TestStack> {
  const config = loadConfig(process.env)
  const { home, remove } = await createTestHome()
  const servers = await Promise.allSettled([
    config.databaseUrl
      ? { url: config.databaseUrl, stop: async () => undefined }
      : findFreePort(24_320 + APART).then((port) => startPostgres({ home, log: testLog, port })),
    config.temporal.address
      ? { address: config.temporal.address, stop: async () => undefined }
      : startTestTemporal(home),
  ])
  const stop = async () => {
    for (const server of servers) if (server.status === 'fulfilled') await server.value.stop()
    await remove()
  }
  const [postgres, temporal] = servers
  if (postgres.status === 'fulfilled' && temporal.status === 'fulfilled') {
    return { postgres_url: postgres.value.url, temporal_address: temporal.value.address, stop }
  }
  await stop()
  throw postgres.status === 'rejected' ? postgres.reason : temporal.status === 'rejected' ? temporal.reason : undefined
}

/** The Temporal server of this machine, found as `svc start` finds it. */
export function temporalProgram() {
  const { temporal, cacheDir } = loadConfig(process.env)
  return resolveTemporalServer({ cli: temporal.cli, cacheDir, onProgress: (line) => process.stderr.write(`${line}\n`) })
}

async function startTestTemporal(home: string) {
  const program = await temporalProgram()
  const server = await startTemporal({ home, ...program, port: 27_233 + APART, log: testLog, synchronous: 1 })
  await withTemporal({ address: server.address, namespace: 'default' }, (connection) =>
    prepareNamespace({ connection, namespace: 'default', log: testLog, owned: true }),
  )
  return server
}
