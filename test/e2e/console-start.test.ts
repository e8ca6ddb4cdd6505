import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest'
import { looksSound, PICTURES } from '#test/support/console-looks.ts'
import { agree, expectHarmless, openVisitors, type Visitors } from '#test/support/console-visitors.ts'
import { goTo } from '#test/support/go-to.ts'
import { AUTH_ENV, createIdentities, type Identities, type Member } from '#test/support/identity.ts'
import { PATIENCE } from '#test/support/patience.ts'
import { needs } from '#test/support/programs/needs.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

const ORDER = '/console/start/intake/order'
const TOKEN = 'a secret that nobody may see'
const NOTHING = 'http://127.0.0.1:9'

interface KeptRun {
  id: string
  template: string
  dry_run: boolean
  status: string
  inputs: Record<string, unknown>
  trigger: { type: string }
}

let service: TestService
let target: Server
const asked: string[] = []
let visitors: Visitors
let people: Identities
let owner: Member
let viewer: Member

const preflight = (page: Page) => page.getByRole('region', { name: 'What a start would meet now' })
const finding = (page: Page, name: string) => preflight(page).getByRole('listitem', { name })
const start = (page: Page) => page.getByRole('button', { name: 'Start', exact: true })
const runs = async () => (await service.call<KeptRun[]>('GET', '/runs', undefined, owner.headers)).body

async function fillOrder(page: Page, name: string): Promise<void> {
  await page.getByLabel('Name*').fill(name)
  await page.getByLabel('Token*').fill(TOKEN)
  await page.getByLabel('City*').fill('Graz')
}

describe('starting something in the console', needs('chromium'), () => {
  beforeAll(async () => {
    target = createServer(({ method }, answer) => {
      asked.push(method ?? '')
      answer.writeHead(503).end()
    }).listen(0, '127.0.0.1')
    service = await startTestService({
      postgres_url: inject('postgres_url'),
      temporal_address: inject('temporal_address'),
      env: {
        ...AUTH_ENV,
        SVC_SECRET_KEY: 'the master key of this test, 32 bytes and more',
        SVC_PACKS_DIR: fileURLToPath(new URL('../packs/forms', import.meta.url)),
      },
    })
    people = await createIdentities(service)
    owner = people.owner
    viewer = await people.add('viewer', { roles: ['viewer'] })
    visitors = await openVisitors(service)
  })
  afterAll(async () => {
    await visitors?.close()
    await service?.stop()
    target.close()
  })
  afterEach(async () => expect(await visitors.leave()).toEqual([]))

  test('finds a template by its words and starts it, by the keyboard alone', async () => {
    const page = await visitors.open(owner, '/console/runs')
    await goTo(page, 's', 'Start something')
    await looksSound(page, PICTURES ? undefined : 'start')
    await page.keyboard.press('/')
    await page.keyboard.type('restarts recover')
    await page.getByText(/^1 of \d+ templates$/).waitFor()
    if (PICTURES) await looksSound(page, 'start')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.waitForURL(/service-recovery/)
    await page.getByRole('heading', { name: 'Recover an HTTP service' }).waitFor()
    await page.getByLabel('Base address of the service*').focus()
    await page.keyboard.type(NOTHING)
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/console\/runs\/run_/)
    const [run] = await runs()
    expect(page.url()).toContain(run?.id)
    expect(run).toMatchObject({ template: 'service-recovery', inputs: { url: NOTHING, action: 'restart' } })
  })

  test('says before the start what it would meet, as what is typed changes, and where it is mended', async () => {
    const page = await visitors.open(owner, '/console/start/sre/service-recovery')
    await preflight(page).getByText('It is checked as you fill in the inputs.').waitFor()
    expect(
      await preflight(page)
        .getByText(/Blocked|blocks it/)
        .count(),
      'nothing is typed yet',
    ).toBe(0)
    await page.getByLabel('Base address of the service*').fill(NOTHING)
    await page.getByLabel('Base address of the service*').fill('')
    await preflight(page).getByText('Blocked: it would not start.').waitFor()
    expect(await finding(page, 'Inputs').innerText()).toContain('url')
    await page.getByLabel('Base address of the service*').fill(NOTHING)
    await preflight(page).getByText('Ready: nothing stops it.').waitFor()
    await preflight(page).getByText('before “act”').waitFor()
    await looksSound(page, 'start-form', true)

    const halt = { scope: { environment: 'development' }, reason: 'the disks are being changed' }
    const set = await service.call<{ id: string }>('POST', '/console/api/halts', halt, owner.headers)
    expect(set.status).toBe(201)
    await page.reload()
    await preflight(page).getByText('Blocked: it would not start.').waitFor()
    await page.getByLabel('Base address of the service*').fill(`${NOTHING}/`)
    await preflight(page).getByText('Blocked: it would not start.').waitFor()
    expect(await finding(page, 'Halts').innerText()).toContain(halt.reason)
    await finding(page, 'Halts').getByRole('link', { name: 'Halts' }).click()
    await page.waitForURL(/\/console\/admin\?part=halts/)
    await page.getByText(halt.reason).first().waitFor()
    const lifted = await service.call('DELETE', `/console/api/halts/${set.body.id}`, undefined, owner.headers)
    expect(lifted.status).toBeLessThan(300)
  })

  test('draws every kind of input from the contract, says what is wrong at its field, and keeps no secret', async () => {
    const before = (await runs()).length
    const page = await visitors.open(owner, ORDER)
    await page.getByRole('heading', { name: /^Order / }).waitFor()
    await expectHarmless(page)
    await fillOrder(page, 'ab')
    await page.getByLabel('Zip code').fill('nine')
    await start(page).click()
    const alert = page.getByRole('alert').filter({ hasText: 'These inputs do not fit the template:' })
    await alert.waitFor()
    expect(await alert.innerText()).toContain('address.zip')
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('inputs_name')
    expect((await runs()).length, 'nothing was started').toBe(before)
    await looksSound(page)

    await page.getByLabel('Name*').fill('Ada')
    await page.getByLabel('Zip code').fill('80100')
    await page.getByRole('spinbutton', { name: 'Count' }).fill('9007199254740993')
    await page.getByRole('alert').filter({ hasText: 'This number cannot be kept exactly' }).waitFor()
    expect(await page.getByRole('spinbutton', { name: 'Count' }).inputValue(), 'nothing is rounded').toBe(
      '9007199254740993',
    )
    await page.getByRole('spinbutton', { name: 'Count' }).fill('3')
    await page.getByRole('checkbox', { name: 'Urgent' }).check()
    await page.getByRole('button', { name: 'Add' }).click()
    await page.getByRole('textbox', { name: /Tags-1/ }).fill('blue')
    expect(await page.getByLabel('Token*').getAttribute('type')).toBe('password')
    await page.getByLabel('Size*').selectOption({ index: 1 })
    await page.getByLabel('Save these inputs as').fill('for Ada')
    await page.getByRole('region', { name: 'Saved inputs' }).getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('button', { name: 'Load' }).waitFor()
    await start(page).click()
    await page.waitForURL(/\/console\/runs\/run_/)
    await expectHarmless(page)

    const [run] = await runs()
    const done = await service.until<KeptRun>(
      `/runs/${run?.id}`,
      ({ status }) => status !== 'queued' && status !== 'running',
      PATIENCE.timeout,
      owner.headers,
    )
    expect(done).toMatchObject({
      status: 'succeeded',
      inputs: { name: 'Ada', count: 3, urgent: true, tags: ['blue'], address: { city: 'Graz', zip: '80100' } },
    })
    const kept = await service.call('GET', '/console/api/input-presets', undefined, owner.headers)
    expect(JSON.stringify(kept.body)).toContain('"name":"Ada"')
    expect(JSON.stringify([kept.body, done])).not.toContain(TOKEN)
    expect(await page.content()).not.toContain(TOKEN)
  })

  test('begins with what is kept, and a preset is changed, made the default and deleted', async () => {
    const of = { pack: 'intake', template: 'order' }
    const kept = { ...of, name: 'usual', values: { inputs: { name: 'Grace', count: 5 } } }
    expect((await service.call('POST', '/console/api/config-presets', kept, owner.headers)).status).toBe(201)
    const page = await visitors.open(owner, ORDER)
    const part = page.getByRole('region', { name: 'Config preset' })
    await part.getByRole('button', { name: 'Use' }).click()
    await expect.poll(() => page.getByLabel('Name*').inputValue()).toBe('Grace')
    await page.getByText('This start names the config preset usual.').waitFor()
    await part.getByRole('button', { name: 'Make it the default' }).click()
    await part.getByRole('button', { name: 'No default any more' }).waitFor()
    await page.reload()
    await expect.poll(() => page.getByRole('spinbutton', { name: 'Count' }).inputValue()).toBe('5')
    await page.getByRole('spinbutton', { name: 'Count' }).fill('')
    const filled = page.getByRole('region', { name: 'Empty fields that are filled in at the start' })
    await filled.getByText('5, by the config preset usual').waitFor()
    await page.getByRole('spinbutton', { name: 'Count' }).fill('7')
    await filled.waitFor({ state: 'detached' })
    const saved = page.waitForResponse((answer) => answer.request().method() === 'PATCH')
    await part.getByRole('button', { name: 'Save over it' }).click()
    await saved
    await page.reload()
    await expect.poll(() => page.getByRole('spinbutton', { name: 'Count' }).inputValue()).toBe('7')
    await agree(part, part.getByRole('button', { name: 'Delete', exact: true }), 'Yes, delete it')
    await part.getByText('There is no config preset for this template.').waitFor()
    const left = await service.call<unknown[]>('GET', '/console/api/config-presets', undefined, owner.headers)
    expect(left.body).toEqual([])
  })

  test('a dry run reports beside the form, and no gate is opened', async () => {
    const page = await visitors.open(owner, '/console/start/sre/service-recovery')
    await page
      .getByLabel('Base address of the service*')
      .fill(`http://127.0.0.1:${(target.address() as AddressInfo).port}`)
    await page.getByRole('button', { name: 'Dry run' }).click()
    await page.getByText('Nothing acted, and nobody was asked.').waitFor()
    const found = page.getByRole('list', { name: 'What the dry run found' })
    expect(await found.getByRole('listitem').count()).toBe(4)
    await looksSound(page)
    const [run] = await runs()
    expect(run).toMatchObject({ dry_run: true, status: 'succeeded' })
    const list = await visitors.open(owner, '/console/runs')
    await list
      .getByRole('row')
      .filter({ has: list.locator(`a[href*="${run?.id}"]`) })
      .getByText('sre/service-recovery (dry run)')
      .waitFor()
    expect(asked, 'its health was asked for, and nothing was done to it').toEqual(['GET'])
    const open = await service.call('GET', '/approvals', undefined, owner.headers)
    expect(JSON.stringify(open.body)).not.toContain(run?.id)
  })

  test('is scheduled from the same form, in words and with its times, and the schedule is deleted', async () => {
    const page = await visitors.open(owner, '/console/start/sre/service-recovery')
    await page.getByLabel('Base address of the service*').fill(NOTHING)
    await page.getByText('Start it by the clock instead').click()
    const form = page.getByRole('form', { name: 'Start it by the clock instead' })
    await form.getByLabel('Name of the schedule').fill('Every Morning')
    await form.getByLabel('Cron expression').fill('30 6 * * 1-5')
    await form.getByText('At 06:30, Monday through Friday').waitFor()
    const next = form.getByRole('list', { name: 'Next times' })
    await expect.poll(() => next.getByRole('listitem').count()).toBe(10)
    const shown = await next.innerText()
    await form.getByLabel('Cron expression').fill('30 6 * *')
    await form.getByRole('alert').filter({ hasText: 'line 1, column' }).waitFor()
    await form.getByLabel('Cron expression').fill('30 6 * * 1-5')
    await expect.poll(() => next.innerText()).toBe(shown)
    await form.getByLabel('Time zone').fill('Asia/Tokyo')
    await form.getByText('These times are those of your zone, Europe/Berlin.').waitFor()
    await expect.poll(() => next.innerText()).not.toBe(shown)
    await form.getByLabel('Time zone').fill('Europe/Berlin')
    expect(await form.getByLabel('Time zone').inputValue(), 'the zone of the reader').toBe('Europe/Berlin')
    const make = form.getByRole('button', { name: 'Make the schedule' })
    await make.click()
    await form.getByRole('alert').getByText('name').waitFor()
    await form.getByLabel('Name of the schedule').fill('every-morning')
    await make.click()
    await page.getByText('The schedule every-morning is made. Its next times:').waitFor()
    const times = page.getByRole('region', { name: 'The schedule every-morning is made.' })
    expect(await times.getByRole('listitem').count()).toBe(10)
    await looksSound(page)
    await page.getByRole('link', { name: 'All schedules' }).click()
    const listed = async () =>
      (await service.call<{ name: string; inputs: object }[]>('GET', '/triggers/scheduled', undefined, owner.headers))
        .body
    expect(await listed()).toMatchObject([{ name: 'every-morning', inputs: { url: NOTHING } }])
    await agree(page, page.getByRole('button', { name: 'Delete every-morning' }), 'Yes, delete it')
    await page.getByText('There is no schedule.').waitFor()
    expect(await listed()).toEqual([])
  })

  test('an answer that was lost and a second click are one run', async () => {
    const before = (await runs()).length
    const page = await visitors.open(owner, ORDER)
    await fillOrder(page, 'Once only')
    let lost = 0
    await page.route('**/packs/intake/order/run', async (route) => {
      await route.fetch()
      lost += 1
      if (lost === 1) return route.abort()
      return route.fallback()
    })
    await start(page).click()
    await page.getByRole('alert').waitFor()
    await page.unroute('**/packs/intake/order/run')
    await start(page).dblclick()
    await page.waitForURL(/\/console\/runs\/run_/)
    expect(lost).toBe(1)
    expect((await runs()).length).toBe(before + 1)
  })

  test('who may not start sees what a template does, and no button that would be refused', async () => {
    const page = await visitors.open(viewer, '/console/start')
    await page.getByRole('heading', { name: 'Start something' }).waitFor()
    expect(await page.getByRole('link', { name: /^Start (sre|intake|db)\// }).count()).toBe(0)
    await page.goto(`${service.url}${ORDER}`)
    await page.getByText('You may look. Starting takes the role operator or a higher one.').waitFor()
    await page.getByRole('heading', { name: 'What it takes' }).waitFor()
    expect(await page.getByRole('button', { name: /Start|Dry run|Save|Delete/ }).count()).toBe(0)
    await looksSound(page)
  })
})
