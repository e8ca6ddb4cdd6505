import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openConsole } from '#platform/console/open-console.ts'
import { createTestApi } from './api-client.ts'
import { createTestDatabase } from './database.ts'

/** An API that serves the console; it builds it first, which takes until `source.settled`. */
export async function openConsoleWorld(postgresUrl: string) {
  const database = await createTestDatabase(postgresUrl)
  const api = await createTestApi(database)
  const home = await mkdtemp(join(tmpdir(), 'svc-console-'))
  const log = { info: () => undefined, warn: (fields: object) => void api.failures.push(fields) }
  const source = openConsole({ prebuilt: undefined, home, log })
  api.deps.console = source
  return {
    ...{ database, home, log, api, source },
    get: (path: string, headers: Record<string, string> = {}) => api.get(path, { host: 'localhost', ...headers }),
    async close() {
      await api.close()
      await database.drop()
      await rm(home, { recursive: true, force: true })
    },
  }
}

export const assetsIn = (html: string) =>
  [...html.matchAll(/(?:src|href)="([^"]*assets\/[^"]+)"/g)].map(([, path = '']) => path)
