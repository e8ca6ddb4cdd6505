import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest'
import { type ModelServer, startModelServer } from '#cli/dev/model-server.ts'
import { looksSound } from '#test/support/console-looks.ts'
import { expectHarmless, openVisitors, type Visitors } from '#test/support/console-visitors.ts'
import { AUTH_ENV, createIdentities, type Member } from '#test/support/identity.ts'
import { needs } from '#test/support/programs/needs.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

const REASON = 'checkout answers 503'
const LIMITS = 'prices: { input: 50000, output: 400000 }, limits: { context: 200000, output: 2000 }'

let service: TestService
let upstream: ModelServer
let visitors: Visitors
let owner: Member
let ann: Member
let viewer: Member
let run: string

/** A question that says what the scripted model does with it. */
const scripted = (question: string, turns: object[]) => `${question}\n\`\`\`script\n${JSON.stringify(turns)}\n\`\`\``
const looksUp = (name: string, args: object = {}) => ({ calls: [{ name, arguments: args }] })

async function askIn(page: Page, question: string) {
  await page.getByLabel('Question').fill(question)
  await page.keyboard.press('Enter')
}

const drawerOf = (page: Page) => page.getByRole('complementary', { name: 'Ask about this workspace' })

describe('asking in the console', needs('chromium'), () => {
  beforeAll(async () => {
    upstream = await startModelServer()
    service = await startTestService({
      postgres_url: inject('postgres_url'),
      temporal_address: inject('temporal_address'),
      env: { ...AUTH_ENV, SVC_MODEL_BASE_URL: upstream.url },
      workers: 0,
      files: {
        'models.yaml': `models:\n  - { id: script, provider: openai_compatible, ${LIMITS} }\nroles: { default: script }\n`,
      },
    })
    const people = await createIdentities(service)
    owner = people.owner
    ann = await people.add('ann', { roles: ['operator'] })
    viewer = await people.add('viewer', { roles: ['viewer'] })
    const start = { inputs: { url: 'http://127.0.0.1:9/' }, reason: REASON }
    const { body } = await service.call<{ id: string }>(
      ...(['POST', '/packs/sre/service-recovery/run', start, owner.headers] as const),
    )
    run = body.id
    visitors = await openVisitors(service)
  })
  afterAll(async () => {
    await visitors?.close()
    await service?.stop()
    await upstream?.stop()
  })
  afterEach(async () => expect(await visitors.leave()).toEqual([]))

  test('opens by a key on any page, and answers with sentences that lead to what they rest on', async () => {
    const page = await visitors.open(ann, '/console/gates')
    await page.getByText('Nothing waits for an answer.').waitFor()
    await page.keyboard.press('q')
    const drawer = drawerOf(page)
    await drawer.waitFor()
    await askIn(
      page,
      scripted('What is going on?', [
        looksUp('get_run', { run_id: run }),
        { say: 'One run is queued.[^t1] All is well.' },
      ]),
    )
    await drawer.getByRole('link', { name: '[1]' }).waitFor()
    // in the question alone
    expect((await drawer.innerText()).split('All is well')).toHaveLength(2)
    await looksSound(page, 'ask')
    await drawer.getByRole('link', { name: '[1]' }).click()
    await page.waitForURL(`**/console/runs/${run}*`)
    expect(new URL(page.url()).pathname).toBe(`/console/runs/${run}`)
    await drawer.getByRole('link', { name: '[1]' }).waitFor()
    await page.reload()
    await page.getByRole('button', { name: 'Ask', exact: true }).click()
    await drawer.getByRole('link', { name: '[1]' }).waitFor()
    await page.keyboard.press('Escape')
    await drawer.waitFor({ state: 'detached' })
  })

  test('says what it would run and starts nothing; anyone who may starts it in place, under the plan that was shown', async () => {
    const propose = scripted('Restart it', [
      looksUp('get_run', { run_id: run }),
      looksUp('propose_run', { template: 'sre/service-recovery', inputs: { url: 'http://127.0.0.1:9/' } }),
      { say: 'The recovery can be started.[^t1]' },
    ])
    const count = async () => (await service.call<unknown[]>('GET', '/runs', undefined, owner.headers)).body.length
    const before = await count()
    const looking = await visitors.open(viewer, '/console/runs')
    await looking.keyboard.press('q')
    await askIn(looking, propose)
    await drawerOf(looking).getByText('Starting it takes the role operator').waitFor()
    const page = await visitors.open(ann, '/console/runs')
    await page.keyboard.press('q')
    await askIn(page, propose)
    const form = drawerOf(page).getByRole('region', { name: 'Run sre/service-recovery' })
    await form.getByRole('button', { name: 'Start this run' }).waitFor()
    expect(await count()).toBe(before)
    await looksSound(page, 'ask-action')
    await form.getByRole('button', { name: 'Start this run' }).click()
    await form.getByText('Started:').waitFor()
    const id = await form.getByRole('status').getByRole('link').innerText()
    const { body } = await service.call<{ provenance: object }>('GET', `/runs/${id}`, undefined, owner.headers)
    expect(body.provenance).toMatchObject({
      trigger: { type: 'ask' },
      human_root: { user_id: ann.id },
      ask: { thread_id: expect.stringMatching(/^thr_/), turn_id: expect.stringMatching(/^turn_/) },
    })
  })

  test('shows nothing that an answer brings as more than text', async () => {
    const page = await visitors.open(owner, '/console/gates')
    await page.keyboard.press('q')
    const drawer = drawerOf(page)
    const hostile =
      'Look <img src=x onerror="window.hit=1"> and [here](javascript:window.hit=1) ![p](https://evil.example/p.png).[^t1]'
    await askIn(page, scripted('What?', [looksUp('list_runs'), { say: hostile }]))
    await drawer.getByText('Look', { exact: false }).first().waitFor()
    expect(await drawer.locator('img').count()).toBe(0)
    expect(await drawer.getByRole('link', { name: 'here' }).count()).toBe(0)
    await expectHarmless(page)
  })

  test('says in a sentence why there is no answer', async () => {
    const page = await visitors.open(ann, '/console/runs')
    await page.keyboard.press('q')
    await askIn(page, scripted('Who won?', [{ say: 'Somebody.' }]))
    await drawerOf(page)
      .getByText('I have no answer that rests on what I could look up here', { exact: false })
      .waitFor()
  })

  test('models are called once to try them, roles are said, and what calls cost is shown', async () => {
    const page = await visitors.open(owner, '/console/admin?part=models')
    await page.getByRole('button', { name: 'Call it once' }).click()
    await page.getByText(/^answered in \d+ ms/).waitFor()
    await page.getByLabel('Model of the role small').selectOption('script')
    await page.getByRole('button', { name: 'Save the roles' }).click()
    await page.getByText('(the console)').waitFor()
    const spend = page.getByRole('region', { name: 'By model' })
    await spend.getByRole('row', { name: /^script / }).waitFor()
    await looksSound(page, 'models')
    const looking = await visitors.open(viewer, '/console/admin?part=models')
    await looking.getByText('(the console)').waitFor()
    expect(await looking.getByRole('button', { name: 'Call it once' }).count()).toBe(0)
  })

  test('says what of the documents can be found, and finds it', async () => {
    const made = await service.call<{ id: string }>(
      ...(['POST', '/ui/api/knowledge', { name: 'runbooks', source: { kind: 'inline' } }, owner.headers] as const),
    )
    const documents = [{ path: 'database.md', text: '# Restart\n\nDrain the pool <b>first</b>.\n' }]
    await service.call('POST', `/ui/api/knowledge/${made.body.id}/index`, { documents }, owner.headers)
    const page = await visitors.open(viewer, '/console/knowledge')
    await page.getByText('fully indexed').waitFor()
    await page.getByLabel('For').fill('drain the pool')
    await page.getByRole('button', { name: 'Search', exact: true }).click()
    await page.getByText('database.md, lines 1 to 3').waitFor()
    await page.getByText('Drain the pool <b>first</b>.', { exact: false }).waitFor()
    await looksSound(page, 'knowledge')
    await page.keyboard.press('q')
    await askIn(page, scripted('How?', [looksUp('search_knowledge', { query: 'drain' }), { say: 'Drain it.[^t1]' }]))
    await drawerOf(page).getByRole('link', { name: 'database.md:1' }).click()
    await page.getByText('In runbooks, lines 1 to 3. Restart').waitFor()
    await page.getByText('Drain the pool <b>first</b>.', { exact: false }).waitFor()
    await looksSound(page, 'chunk')
    documents[0] = { path: 'database.md', text: '# Restart\n\nDrain nothing.\n' }
    await service.call('POST', `/ui/api/knowledge/${made.body.id}/index`, { documents }, owner.headers)
    await page.reload()
    await page.getByText('This chunk no longer exists', { exact: false }).waitFor()
  })
})
