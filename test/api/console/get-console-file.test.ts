import { beforeAll, describe, expect, it } from 'vitest'
import { assetsIn, openConsoleWorld } from '#test/support/console-world.ts'
import { fileFixture } from '#test/support/file-fixture.ts'
import { itIsGuarded } from '#test/support/guarded-operation.ts'
import { itRefuses } from '#test/support/refused-operation.ts'

itIsGuarded('getConsoleFile')

const BUILD_MS = 60_000

const world = fileFixture(openConsoleWorld)
beforeAll(() => world.source.settled, BUILD_MS)

itRefuses('getConsoleFile', () => ({ api: world.api }), [
  [404, 'not_found', () => () => world.get('/console/assets/none.js')],
])

describe('GET /console/*', () => {
  it('sends files that never change under their name, packed for anyone who can unpack', async () => {
    const [file = ''] = assetsIn(await (await world.get('/console')).text())
    const path = `/${file}`
    const plain = await world.get(path)
    expect(plain.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(plain.headers.get('content-type')).toMatch(/^text\/(javascript|css); charset=utf-8$/)
    const packed = await world.get(path, { 'accept-encoding': 'br, gzip' })
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
      expect([path, (await world.get(path)).status]).toEqual([path, 404])
  })
})
