import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { openConsole } from '#platform/console/open-console.ts'
import { createTestApi, type TestApi } from '#test/support/api-client.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { itIsGuarded } from '#test/support/guarded-operation.ts'
import { itRefuses } from '#test/support/refused-operation.ts'

itIsGuarded('getConsoleFile')

const BUILD_MS = 60_000

let database: TestDatabase
let api: TestApi
let home: string

beforeAll(async () => {
  database = await createTestDatabase(inject('postgres_url'))
  api = await createTestApi(database)
  home = await mkdtemp(join(tmpdir(), 'svc-console-'))
  const log = { info: () => undefined, warn: (fields: object) => void api.failures.push(fields) }
  const source = openConsole({ prebuilt: undefined, home, log })
  api.deps.console = source
  await source.settled
}, BUILD_MS)
afterAll(async () => {
  await api?.close()
  await database?.drop()
  await rm(home, { recursive: true, force: true })
})

const get = (path: string, headers: Record<string, string> = {}) => api.get(path, { host: 'localhost', ...headers })

itRefuses('getConsoleFile', () => ({ api }), [[404, 'not_found', () => () => get('/console/assets/none.js')]])
const assetsIn = (html: string) =>
  [...html.matchAll(/(?:src|href)="([^"]*assets\/[^"]+)"/g)].map(([, path = '']) => path)

describe('GET /console/*', () => {
  it('sends files that never change under their name, packed for anyone who can unpack', async () => {
    const [file = ''] = assetsIn(await (await get('/console')).text())
    const path = `/${file}`
    const plain = await get(path)
    expect(plain.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(plain.headers.get('content-type')).toMatch(/^text\/(javascript|css); charset=utf-8$/)
    const packed = await get(path, { 'accept-encoding': 'br, gzip' })
    expect([packed.headers.get('content-encoding'), packed.headers.get('vary')]).toEqual(['gzip', 'Accept-Encoding'])
    expect((await packed.arrayBuffer()).byteLength).toBeLessThan((await plain.arrayBuffer()).byteLength)
  })

  it('has no other file, and no page in the place of the API', async () => {
    for (const path of [
      '/console/index.html',
      '/console/assets/none.js',
      '/console/package.json',
      '/console/api',
      '/console/api/none',
    ])
      expect([path, (await get(path)).status]).toEqual([path, 404])
  })
})
