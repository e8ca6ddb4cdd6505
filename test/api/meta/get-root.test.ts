import { describe, expect, it } from 'vitest'
import { guardWorld, itIsGuarded } from '#test/support/guarded-operation.ts'

itIsGuarded('getRoot')

const world = guardWorld()

describe('GET /', () => {
  it('leads on, and every address it names is there', async () => {
    const body = (await (await world.api.get('/')).json()) as { name: string; links: Record<string, string> }
    expect(body.name).toBe('svc')
    for (const path of Object.values(body.links))
      expect([path, (await world.api.get(path)).status]).not.toEqual([path, 404])
  })

  it('is a page for a browser, which loads nothing', async () => {
    const response = await world.api.get('/', { accept: 'text/html' })
    expect(response.headers.get('content-type')).toContain('text/html')
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(await response.text()).toContain('<a href="/docs">')
  })
})
