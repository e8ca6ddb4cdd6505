import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { openConsole } from '#platform/console/open-console.ts'
import { createTestApi, type TestApi } from '#test/support/api-client.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { itIsGuarded } from '#test/support/guarded-operation.ts'

itIsGuarded('getConsole')

const KB = 1_000
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
  const early = await api.get('/console', { host: 'localhost' })
  // unless an earlier run of this very content has left its build
  if (early.status !== 200) {
    expect([early.status, early.headers.get('retry-after')]).toEqual([503, '2'])
    expect(await early.text()).toContain('being built')
  }
  await source.settled
}, BUILD_MS)
afterAll(async () => {
  await api?.close()
  await database?.drop()
  await rm(home, { recursive: true, force: true })
})

const get = (path: string, headers: Record<string, string> = {}) => api.get(path, { host: 'localhost', ...headers })
const assetsIn = (html: string) =>
  [...html.matchAll(/(?:src|href)="([^"]*assets\/[^"]+)"/g)].map(([, path = '']) => path)

describe('GET /console', () => {
  it('is one page at every address, which runs and loads nothing but files of its own', async () => {
    for (const path of ['/console', '/console/runs', `/console/runs/run_${'0'.repeat(26)}`, '/console/no/such/page']) {
      const answer = await get(path)
      const html = await answer.text()
      expect([path, answer.status, answer.headers.get('cache-control')]).toEqual([path, 200, 'no-cache'])
      expect(answer.headers.get('content-security-policy')).toBe(
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; font-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
      )
      expect(html).not.toMatch(/<script(?![^>]* src=)|<style|\bstyle=|\bon\w+=|https?:\/\//)
      expect(assetsIn(html).length).toBeGreaterThan(1)
      for (const file of assetsIn(html)) {
        const found = new URL(file, `http://localhost${path}`).pathname
        expect((await get(found)).status, `${found} of ${path}`).toBe(200)
      }
    }
  })

  it('needs at most 200 kB to be shown for the first time', async () => {
    const html = await (await get('/console')).text()
    const sizes = await Promise.all(
      assetsIn(html).map(
        async (file) => (await (await get(`/${file}`, { 'accept-encoding': 'gzip' })).arrayBuffer()).byteLength,
      ),
    )
    expect(sizes.reduce((sum, size) => sum + size, html.length)).toBeLessThan(200 * KB)
  })

  it('is built once for one content', async () => {
    const log = { info: () => undefined, warn: (fields: object) => void api.failures.push(fields) }
    const again = openConsole({ prebuilt: undefined, home, log })
    await again.settled
    expect(again.files()).toEqual(api.deps.console.files())
    expect(api.failures).toEqual([])
  })

  it('says on a page that there is none, where it cannot be built', async () => {
    const warned: object[] = []
    const source = openConsole({
      prebuilt: join(home, 'nothing'),
      home,
      log: { info: () => undefined, warn: (fields: object) => void warned.push(fields) },
    })
    await source.settled
    expect([source.files(), warned.length]).toEqual(['failed', 1])
    const without = await createTestApi(database)
    without.deps.console = source
    const answer = await without.get('/console', { host: 'localhost' })
    await without.close()
    expect([answer.status, await answer.text()]).toEqual([503, expect.stringContaining('could not be built')])
  })
})
