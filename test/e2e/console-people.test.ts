import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest'
import { looksSound } from '#test/support/console-looks.ts'
import { openVisitors, type Visitors } from '#test/support/console-visitors.ts'
import { AUTH_ENV, createIdentities, type Member } from '#test/support/identity.ts'
import { needs } from '#test/support/programs/needs.ts'
import { startTestService, type TestService } from '#test/support/service.ts'
import { startWebhookSink } from '#test/support/webhook-sink.ts'

const HOOK_SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const REASON = 'checkout answers 503'
/** long enough that no run of this file ends by it */
const AWAY_UNTIL = '2099-01-01T09:00'

let service: TestService
let visitors: Visitors
let sink: Awaited<ReturnType<typeof startWebhookSink>>
let owner: Member
let ann: Member
let bob: Member
let viewer: Member

const tabOf = (page: Page) => expect.poll(() => page.title())

describe('people, channels and settings in the console', needs('chromium'), () => {
  beforeAll(async () => {
    sink = await startWebhookSink(HOOK_SECRET)
    service = await startTestService({
      postgres_url: inject('postgres_url'),
      temporal_address: inject('temporal_address'),
      env: { ...AUTH_ENV, OPS_HOOK_SECRET: HOOK_SECRET, SVC_TEMPORAL_UI_URL: 'https://temporal.example.test' },
      workers: 0,
      files: {
        'channels.yaml': `- { name: ops-hook, kind: webhook, url: "${sink.url}", secret: env:OPS_HOOK_SECRET }\n- { name: mute, kind: webhook, url: "${sink.url}/2", secret: env:NOT_SET }\n`,
      },
    })
    const people = await createIdentities(service)
    owner = people.owner
    ann = await people.add('ann', { roles: ['approver'] })
    bob = await people.add('bob', { roles: ['approver'] })
    viewer = await people.add('viewer', { roles: ['viewer'] })
    await people.add('answerer', { roles: ['service'], scopes: ['approvals:on_behalf'] })
    const start = { inputs: { url: 'http://127.0.0.1:9/' }, reason: REASON }
    await service.call('POST', '/packs/sre/service-recovery/run', start, owner.headers)
    visitors = await openVisitors(service)
  })
  afterAll(async () => {
    await visitors?.close()
    await service?.stop()
    await sink?.close()
  })
  afterEach(async () => expect(await visitors.leave()).toEqual([]))

  test('lets somebody say which service account may answer for them, and stop it', async () => {
    const page = await visitors.open(ann, '/console/me')
    const accounts = page.getByRole('region', { name: 'Service accounts that may answer for you' })
    const me = async () => (await service.call('GET', '/auth/me', undefined, ann.headers)).body
    await accounts.getByText('does not answer for you').waitFor()
    await accounts.getByRole('button', { name: 'Let it answer: answerer@example.test' }).click()
    await accounts.getByText('answers for you', { exact: true }).waitFor()
    expect(await me()).toMatchObject({ answering_accounts: [expect.stringMatching(/^usr_/)] })
    await looksSound(page)
    await accounts.getByRole('button', { name: 'Stop it: answerer@example.test' }).click()
    await accounts.getByText('does not answer for you').waitFor()
    expect(await me()).not.toHaveProperty('answering_accounts')
  })

  test('lets somebody who will be away say who answers for them, until they are back', async () => {
    const page = await visitors.open(ann, '/console/gates')
    await page.getByRole('button', { name: `Account of ${ann.email}` }).click()
    await page.getByRole('menuitem', { name: 'You' }).click()
    await tabOf(page).toBe('You · svc')
    const away = page.getByRole('region', { name: 'While you are away' })
    await away.getByText('You are not away.').waitFor()
    const delegate = away.getByLabel('Who answers for you')
    expect((await delegate.getByRole('option').allInnerTexts()).join()).not.toContain(ann.email)
    await away.getByLabel('Away until').fill(AWAY_UNTIL)
    await delegate.selectOption(bob.id)
    await away.getByRole('button', { name: 'Save' }).click()
    await away.getByText('answers for you.').waitFor()
    const me = async () => (await service.call('GET', '/auth/me', undefined, ann.headers)).body
    // typed in Berlin
    expect(await me()).toMatchObject({ out_of_office_until: '2099-01-01T08:00:00.000Z', delegate_to: bob.id })
    await looksSound(page, 'me')
    await page.reload()
    await away.getByRole('button', { name: 'I am back' }).click()
    await away.getByText('You are not away.').waitFor()
    expect(await me()).not.toHaveProperty('delegate_to')
  })

  test('changes a password for anyone who knows the one before, and signs them out', async () => {
    const page = await visitors.open(bob, '/console/me')
    const part = page.getByRole('region', { name: 'Password' })
    const change = async (current: string) => {
      await part.getByLabel('The password that you have').fill(current)
      await part.getByLabel('The new one').fill('another long password')
      await part.getByRole('button', { name: 'Set the new password' }).click()
    }
    await change('not the password')
    await part.getByRole('alert').waitFor()
    await change(AUTH_ENV.SVC_ADMIN_PASSWORD)
    await part.getByText('The password is changed').waitFor()
    await page.reload()
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
  })

  test('offers absence to approvers alone, since nobody lends what they do not have', async () => {
    const page = await visitors.open(viewer, '/console/me')
    await page.getByRole('region', { name: 'Password' }).waitFor()
    expect(await page.getByText('While you are away').count()).toBe(0)
  })

  test('shows the channels, says which are closed and why, and sends a test once it is agreed to', async () => {
    const page = await visitors.open(owner, '/console/admin?part=channels')
    const rows = page.getByRole('table', { name: 'Channels' }).getByRole('row')
    const mute = rows.filter({ hasText: 'mute' })
    expect(await mute.innerText()).toContain('env:NOT_SET is not set')
    const hook = rows.filter({ hasText: 'ops-hook' })
    expect(await hook.innerText()).toContain('open')
    await hook.getByRole('button', { name: 'Test ops-hook' }).click()
    await hook.getByText('Send a test message to 1 recipient?').waitFor()
    expect(sink.received).toHaveLength(0)
    await hook.getByRole('button', { name: 'Yes, send it' }).click()
    await hook.getByText('took a test message').waitFor()
    expect(sink.received.map(({ verified }) => verified)).toEqual([true])
    await looksSound(page, 'channels', true)
  })

  test('shows the settings to be read, with secrets hidden, to anyone who may enter everything', async () => {
    const page = await visitors.open(owner, '/console/admin?part=settings')
    const table = page.getByRole('table', { name: 'Settings' })
    await page.getByLabel('Search').fill('obs_jwt_secret')
    await expect.poll(() => table.getByRole('row').count()).toBeLessThan(5)
    expect(await table.getByRole('row', { name: /^OBS_JWT_SECRET/ }).innerText()).toContain('(hidden)')
    expect(await page.content()).not.toContain(AUTH_ENV.OBS_JWT_SECRET)
    await page.getByLabel('Search').fill('no setting has this')
    await page.getByText('No setting matches.').waitFor()
    const phone = await visitors.open(owner, '/console/admin?part=settings', { viewport: { width: 390, height: 844 } })
    await phone.getByText(/^Set in the environment \(\d+\)$/).waitFor()
    expect(await phone.evaluate('document.documentElement.scrollHeight'), 'defaults are folded').toBeLessThan(3_000)
    await phone.getByText('OBS_JWT_SECRET', { exact: true }).click()
    await phone
      .getByText(/^Takes /)
      .filter({ visible: true })
      .waitFor()
    await looksSound(phone)
    await phone.getByLabel('Search').fill('svc_console')
    await phone.getByText(/^SVC_CONSOLE/).waitFor()
    const other = await visitors.open(viewer, '/console/admin?part=settings')
    await other.getByRole('heading', { name: 'Health', exact: true }).waitFor()
    expect(await other.getByRole('link', { name: 'Settings' }).count()).toBe(0)
  })

  test('says in the tab of the browser what a page is about, and what each run is about', async () => {
    const page = await visitors.open(owner, '/console/runs')
    await tabOf(page).toBe('Runs · svc')
    const row = page.getByRole('row').filter({ hasText: REASON })
    await row.getByRole('link').click()
    await tabOf(page).toBe(`${REASON} · queued · svc`)
    await page.keyboard.press('Control+k')
    await page
      .getByRole('combobox', { name: 'A page, a run, a gate, a pipeline, a person, an action' })
      .fill('checkout answers')
    await page.getByRole('option').filter({ hasText: REASON }).waitFor()
  })

  test('leads an admin of all workspaces from a run to its workflow in Temporal, and nobody else', async () => {
    const [run] = (await service.call<{ id: string }[]>('GET', '/runs', undefined, owner.headers)).body
    for (const [who, count] of [
      [owner, 1],
      [viewer, 0],
    ] as const) {
      const page = await visitors.open(who, `/console/runs/${run?.id}`)
      await page.getByText('Identifiers and details').click()
      await page
        .locator('dt')
        .filter({ hasText: /^Lane$/ })
        .waitFor()
      const link = page.getByRole('link', { name: 'Open in the Temporal Web UI' })
      expect(await link.count()).toBe(count)
      if (count === 0) continue
      const [place, id] = (await link.getAttribute('href'))?.split('/workflows/') ?? []
      expect(place).toMatch(/^https:\/\/temporal\.example\.test\/namespaces\/[^/]+$/)
      expect(id).toBe(run?.id)
      await looksSound(page, 'run-identifiers')
    }
  })

  test('shows a list before its filters on a phone, and on paper when and where its times are', async () => {
    const page = await visitors.open(owner, '/console/runs', { viewport: { width: 375, height: 800 } })
    const filters = page.getByRole('form', { name: 'Filters' })
    expect(await filters.getByLabel('Status').isVisible()).toBe(false)
    await filters.getByRole('button', { name: 'Filters' }).click()
    await filters.getByLabel('Status').selectOption('failed')
    await page.getByText('No run matches.').waitFor()
    await filters.getByRole('button', { name: 'Filters (1 set)' }).waitFor()
    await filters.getByRole('button', { name: 'Clear filters' }).click()
    await page.getByRole('table', { name: 'Runs' }).waitFor()
    await page.emulateMedia({ media: 'print' })
    await page.getByText(/^Printed .* Times are those of Europe\/Berlin\./).waitFor()
  })

  test('keeps what it has shown while the API does not answer, and says that it is not live', async () => {
    const page = await visitors.open(owner, '/console/admin')
    const checks = page.getByRole('table', { name: 'Dependencies' })
    await checks.waitFor()
    await page.route('**/healthz*', (route) => route.abort())
    await page.getByText('This could not be updated: The API does not answer.').waitFor()
    expect(await checks.isVisible()).toBe(true)
    await page.unroute('**/healthz*')
    await page.getByText('This could not be updated').waitFor({ state: 'detached' })
  })
})
