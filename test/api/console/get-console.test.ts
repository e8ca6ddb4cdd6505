import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { openConsole } from '#platform/console/open-console.ts'
import { createTestApi } from '#test/support/api-client.ts'
import { assetsIn, openConsoleWorld } from '#test/support/console-world.ts'
import { fileFixture } from '#test/support/file-fixture.ts'
import { itIsGuarded } from '#test/support/guarded-operation.ts'

itIsGuarded('getConsole')

const KB = 1_000
const BUILD_MS = 60_000

const world = fileFixture(openConsoleWorld)
beforeAll(async () => {
  const early = await world.get('/console')
  // unless an earlier run of this very content has left its build
  if (early.status !== 200) {
    expect([early.status, early.headers.get('retry-after')]).toEqual([503, '2'])
    expect(await early.text()).toContain('being built')
  }
  await world.source.settled
}, BUILD_MS)

describe('GET /console', () => {
  it('is one page at every address, which runs and loads nothing but files of its own', async () => {
    for (const path of ['/console', '/console/runs', `/console/runs/run_${'0'.repeat(26)}`, '/console/no/such/page']) {
      const answer = await world.get(path)
      const html = await answer.text()
      expect([path, answer.status, answer.headers.get('cache-control')]).toEqual([path, 200, 'no-cache'])
      expect(answer.headers.get('content-security-policy')).toBe(
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; font-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
      )
      expect(html).not.toMatch(/<script(?![^>]* src=)|<style|\bstyle=|\bon\w+=|https?:\/\//)
      expect(assetsIn(html).length).toBeGreaterThan(1)
      for (const file of assetsIn(html)) {
        const found = new URL(file, `http://localhost${path}`).pathname
        expect((await world.get(found)).status, `${found} of ${path}`).toBe(200)
      }
    }
  })

  it('needs at most 200 kB to be shown for the first time', async () => {
    const html = await (await world.get('/console')).text()
    const sizes = await Promise.all(
      assetsIn(html).map(
        async (file) => (await (await world.get(`/${file}`, { 'accept-encoding': 'gzip' })).arrayBuffer()).byteLength,
      ),
    )
    expect(sizes.reduce((sum, size) => sum + size, html.length)).toBeLessThan(200 * KB)
  })

  it('is built once for one content', async () => {
    const again = openConsole({ prebuilt: undefined, home: world.home, log: world.log })
    await again.settled
    expect(again.files()).toEqual(world.api.deps.console.files())
    expect(world.api.failures).toEqual([])
  })

  it('says on a page that there is none, where it cannot be built', async () => {
    const warned: object[] = []
    const source = openConsole({
      prebuilt: join(world.home, 'nothing'),
      home: world.home,
      log: { info: () => undefined, warn: (fields: object) => void warned.push(fields) },
    })
    await source.settled
    expect([source.files(), warned.length]).toEqual(['failed', 1])
    const without = await createTestApi(world.database)
    without.deps.console = source
    const answer = await without.get('/console', { host: 'localhost' })
    await without.close()
    expect([answer.status, await answer.text()]).toEqual([503, expect.stringContaining('could not be built')])
  })
})

describe('a slash at the end of the address of a page', () => {
  const run = `/runs/run_${'0'.repeat(26)}`
  const at = async (path: string, accept = 'text/html') => {
    const answer = await world.get(path, { accept })
    const location = answer.headers.get('location')
    return [answer.status, location === null ? null : new URL(location, `http://localhost${path}`).href.slice(16)]
  }

  it('leads to the page, with its query, and below the path of a proxy', async () => {
    expect(await at('/console/')).toEqual([308, '/console'])
    expect(await at('/console/approvals/?q=a%20b')).toEqual([308, '/console/approvals?q=a%20b'])
    expect(await at(`/console${run}/`, '*/*')).toEqual([308, `/console${run}`])
    expect(await at(`${run}/`)).toEqual([308, run])
    const location = (await world.get('/console/')).headers.get('location') ?? ''
    expect(new URL(location, 'http://proxy.test/svc/console/').pathname).toBe('/svc/console')
  })

  it('stays an error of the API, and of every other spelling', async () => {
    for (const path of ['/console/api/', '/console/api/session/', '/runs/', '/healthz/', '/console//'])
      expect([path, await at(path)]).toEqual([path, [400, null]])
    expect(await at(`${run}/`, 'application/json')).toEqual([400, null])
    expect((await world.get('//evil.test/console/')).headers.get('location')).toBeNull()
  })
})
