import { describe, expect, it } from 'vitest'
import { guardWorld, itIsGuarded } from '#test/support/guarded-operation.ts'

itIsGuarded('getDocs')

const world = guardWorld()

describe('/docs', () => {
  it('is a page that loads nothing from anywhere else', async () => {
    const page = await world.api.get('/docs')
    const html = await page.text()
    expect(html).not.toMatch(/https?:\/\//)
    expect(page.headers.get('content-security-policy')).toContain("script-src 'self';")
    const assets = [...html.matchAll(/(?:src|href)="(\/docs\/[^"]+)"/g)].map((match) => match[1] ?? '')
    expect(assets.length).toBe(3)
    for (const asset of assets) {
      const response = await world.api.get(asset)
      expect([asset, response.status, (await response.text()).length > 50]).toEqual([asset, 200, true])
    }
  })
})
