import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import postgres from 'postgres'
import type { SecretStore } from './secret-store.ts'

/** A small service that takes its password from a secret store, keeps a pool to its database, and says as whom. */
export async function startSecretConsumer(options: { store: SecretStore; path: string; database_url: string }) {
  const { store, path, database_url } = options
  let pool: { sql: postgres.Sql; version: number } | undefined
  let isStale = false
  const open = async () => {
    const versions = store.versions(path)
    if (pool?.version === versions.length || (isStale && pool !== undefined)) return pool
    const { username, password } = versions.at(-1) ?? {}
    const url = new URL(database_url)
    url.username = String(username)
    url.password = String(password)
    const sql = postgres(url.href, { max: 2, onnotice: () => undefined })
    await sql`select 1`
    const before = pool
    pool = { sql, version: versions.length }
    await before?.sql.end({ timeout: 1 })
    return pool
  }
  const server = createServer(async (_request, response) => {
    try {
      const { sql, version } = await open()
      const [me] = await sql`select current_user::text as user`
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ ...me, version }))
    } catch {
      response.writeHead(503).end()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/whoami`,
    /** it does not read the store again */
    keep(stale: boolean): void {
      isStale = stale
    },
    async stop() {
      await new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
      await pool?.sql.end({ timeout: 1 })
    },
  }
}
