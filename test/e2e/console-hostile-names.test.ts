import { describe, expect, test } from 'vitest'
import { expectHarmless } from '#test/support/console-visitors.ts'
import { needs } from '#test/support/programs/needs.ts'
import { queueConsole } from '#test/support/queue-console.ts'

/** markup, directions, what takes no room, and a word that ends on no screen */
const hostile = (length: number) =>
  `<img src=x onerror=window.hit=1>\u202egnp.exe\u2066\u200b{{7*7}}${'W'.repeat(1_000)}`.slice(0, length)
const SHOWN = '<img src=x onerror=window.hit=1>\\u{202e}gnp.exe\\u{2066}\\u{200b}'
const TURNS_TEXT = '/[\\u200b-\\u200f\\u202a-\\u202e\\u2066-\\u2069]/.test(document.body.innerText)'
/** what each page is there to show */
const PAGES: readonly (readonly [path: string, heading: string])[] = [
  ['gates', 'Approvals'],
  ['runs', 'Runs'],
  ['policies/mine', 'mine'],
  ['triggers?part=rules', 'Triggers'],
  ['admin?part=halts', 'Admin'],
  ['admin?part=workspaces', 'Admin'],
  ['admin?part=users', 'Admin'],
  ['admin?part=keys', 'Admin'],
]

const { world, visitors } = queueConsole({})

describe('names and reasons that somebody made to harm', needs('chromium'), () => {
  test('are text that nobody can take for another one, on pages as wide as before', async () => {
    const { owner } = world.people
    async function send(method: 'POST' | 'PATCH', path: string, body: object): Promise<string> {
      const answer = await world.service.call<{ id: string }>(method, path, body, owner.headers)
      expect([path, answer.status < 300, answer.body]).toEqual([path, true, answer.body])
      return answer.body.id
    }
    const mallory = await world.people.add('mallory', { roles: ['operator'], display_name: hostile(200) })
    await send('PATCH', `/admin/users/${owner.id}`, { display_name: hostile(200) })
    await send('POST', '/workspaces', { slug: 'hostile', name: hostile(200) })
    await send('POST', '/console/api/halts', { scope: { environment: 'old' }, reason: hostile(1_000) })
    const asks = { effect: 'require_hitl', reason: hostile(200) }
    await send('POST', '/ui/api/policies', { name: 'mine', applies_to: { environments: ['plain'] }, rules: [asks] })
    const starts = {
      on: 'alert',
      match: { service: hostile(100) },
      run: 'shown/post',
      inputs: { url: 'http://x.test' },
    }
    await send('POST', '/ui/api/triggers', { name: 'mine', ...starts })
    const robot = { email: 'robot@example.test', roles: ['service'], workspaces: [`ws_${'0'.repeat(26)}`] }
    const account = await send('POST', '/admin/users', { ...robot, display_name: hostile(200) })
    await send('PATCH', `/admin/users/${account}`, { status: 'active' })
    await send('POST', '/admin/api-keys', { name: hostile(100), account, scopes: ['runs:read'], expires_in_days: 1 })
    const inputs = { url: `${world.target.url}/${encodeURIComponent(hostile(200))}` }
    const run = await world.start('shown/post', { inputs, environment: 'plain', reason: hostile(1_000) }, mallory)
    await world.waits(run)

    const page = await visitors.open(owner, '/console/runs')
    for (const [path, heading] of [
      ...PAGES,
      [`runs/${run}`, 'Steps'] as const,
      [`runs/${run}?part=events`, 'Events'] as const,
    ])
      for (const width of [1_280, 390]) {
        await page.setViewportSize({ width, height: 900 })
        await page.goto(`${world.service.url}/console/${path}`)
        // a phone leaves columns out
        await page.getByRole('heading', { name: heading, exact: true }).first().waitFor()
        await page.locator('main').getByText(SHOWN).first().waitFor({ state: 'attached' })
        await expect.poll(() => page.getByText('Loading…', { exact: true }).count()).toBe(0)
        await expectHarmless(page)
        expect([path, await page.evaluate(TURNS_TEXT)]).toEqual([path, false])
      }
  })
})
