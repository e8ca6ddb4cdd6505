import { type Browser, chromium } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, inject, test, vi } from 'vitest'
import { openPart, type WatchedPage, watchPage } from '#test/support/console-browser.ts'
import { signOut } from '#test/support/console-visitors.ts'
import { goTo } from '#test/support/go-to.ts'
import { AUTH_ENV, createIdentities, type Identities } from '#test/support/identity.ts'
import { PATIENCE } from '#test/support/patience.ts'
import { startPrefixProxy } from '#test/support/prefix-proxy.ts'
import { needs, programOf } from '#test/support/programs/needs.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

const PASSWORD = AUTH_ENV.SVC_ADMIN_PASSWORD
let browser: Browser
let service: TestService
let people: Identities
let run: string
let watched: WatchedPage

/** Opens an address of the console as a browser that has never been there. */
async function open(path: string, base = service.url): Promise<WatchedPage['page']> {
  watched = await watchPage(
    await browser.newContext({ locale: 'en-GB', timezoneId: 'Asia/Tokyo' }),
    new URL(base).origin,
  )
  await watched.page.goto(`${base}${path}`)
  return watched.page
}

async function signIn(page: WatchedPage['page'], email: string): Promise<void> {
  await page.getByLabel('Mail address').fill(email)
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

describe('the console in a browser', needs('chromium'), () => {
  beforeAll(async () => {
    const { command, env } = programOf('chromium')
    browser = await chromium.launch({
      executablePath: command,
      args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
      env: { ...process.env, ...env },
    })
    service = await startTestService({
      postgres_url: inject('postgres_url'),
      temporal_address: inject('temporal_address'),
      env: AUTH_ENV,
      workers: 0,
    })
    people = await createIdentities(service)
    const body = { inputs: { url: 'http://127.0.0.1:9/' } }
    run = (await service.call<{ id: string }>('POST', '/packs/sre/service-recovery/run', body, people.owner.headers))
      .body.id
    const built = async () => expect((await fetch(`${service.url}/console`)).status).toBe(200)
    await vi.waitFor(built, PATIENCE)
  })
  afterAll(async () => {
    await browser?.close()
    await service?.stop()
  })
  afterEach(async () => {
    await watched.page.context().close()
    expect(watched.faults).toEqual([])
  })

  test('leads from the sign-in over the list to a run and its events, and out again', async () => {
    // signing out ends every token of a person, so it is nobody whom the other tests need
    const member = await people.add('reader', { roles: ['viewer'] })
    const page = await open('/console/runs?status=queued')
    await page.getByLabel('Mail address').fill(member.email)
    await page.getByLabel('Password').fill('not the password')
    await page.getByRole('button', { name: 'Sign in' }).click()
    expect(await page.getByRole('alert').textContent()).toContain('not right')
    await signIn(page, member.email)
    await page.getByRole('table', { name: 'Runs' }).getByRole('link').first().click()
    await openPart(page, 'Events')
    await page.getByRole('button', { name: 'run.queued' }).waitFor()
    expect(new URL(page.url()).pathname).toBe(`/console/runs/${run}`)
    const time = page.locator('time').first()
    expect(await time.getAttribute('title'), 'times are of the zone of the reader').toContain('Asia/Tokyo')

    await page.reload()
    await page.getByRole('button', { name: 'run.queued' }).waitFor()
    const cookies = await page.context().cookies()
    expect(cookies).toMatchObject([{ name: 'svc_session', httpOnly: true, sameSite: 'Strict', path: '/' }])
    expect(await page.evaluate('document.cookie')).toBe('')

    await page.keyboard.press('?')
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Escape')
    await goTo(page, 'r', 'Runs')

    await signOut(page)
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    expect(await page.context().cookies()).toEqual([])
    await page.reload()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  })

  test('opens the run of a link in a message, after the sign-in and without one, in its workspace', async () => {
    const member = await people.add('linked', { roles: ['viewer'] })
    const link = `/workspaces/ws_${'0'.repeat(26)}/runs/${run}`
    const page = await open(link)
    await signIn(page, member.email)
    await page.getByRole('link', { name: /^Events [1-9]/ }).waitFor()
    expect(page.url()).toBe(`${service.url}/console/runs/${run}?workspace=ws_${'0'.repeat(26)}`)
    // as another site, such as a mail in a browser, leads there
    await page.goto('about:blank')
    await page.setContent(`<a href="${service.url}${link}">Run</a>`)
    await page.getByRole('link', { name: 'Run' }).click()
    await page.getByRole('link', { name: /^Events [1-9]/ }).waitFor()
    expect(page.url()).toBe(`${service.url}/console/runs/${run}?workspace=ws_${'0'.repeat(26)}`)
  })

  test('keeps its filters in the address, and shows what the API says of a wrong one', async () => {
    const member = await people.add('filters', { roles: ['viewer'] })
    const page = await open('/console/runs?status=succeeded')
    await signIn(page, member.email)
    await page.getByText('No run matches.').waitFor()
    await page.getByRole('button', { name: /^Filters/ }).click()
    await page.getByRole('combobox', { name: 'Status' }).selectOption('queued')
    await page.getByRole('table', { name: 'Runs' }).getByRole('link').first().waitFor()
    expect(new URL(page.url()).search).toBe('?status=queued')
    await page.goBack()
    await page.getByText('No run matches.').waitFor()
    await page.goto(`${service.url}/console/runs?lane=nowhere`)
    expect(await page.getByRole('alert').textContent()).toContain('lane')
  })

  test('sends the one who was signed out elsewhere, or has lost a role, back to the sign-in', async () => {
    const member = await people.add('elsewhere', { roles: ['operator'] })
    const page = await open('/console/runs')
    await signIn(page, member.email)
    await page.getByRole('table', { name: 'Runs' }).getByRole('link').first().waitFor()
    await service.call('POST', '/auth/logout', undefined, member.headers)
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    expect(await page.getByRole('alert').textContent()).toContain('signed out')
    await signIn(page, member.email)
    await page.getByRole('table', { name: 'Runs' }).getByRole('link').first().waitFor()
    await service.call('PATCH', `/admin/users/${member.id}`, { roles: ['viewer'] }, people.owner.headers)
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  })

  test('works behind a proxy that gives it a path of its own', async () => {
    const member = await people.add('behind', { roles: ['viewer'] })
    const proxy = await startPrefixProxy(service.url, '/ops/svc')
    try {
      const page = await open(`/console/runs/${run}#events`, proxy.url)
      await signIn(page, member.email)
      await page.getByRole('button', { name: 'run.queued' }).waitFor()
      await page.getByRole('link', { name: 'All runs' }).click()
      await page.getByRole('table', { name: 'Runs' }).getByRole('link').first().waitFor()
      expect(new URL(page.url()).pathname).toBe('/ops/svc/console/runs')
      await page.goto(`${proxy.url}/console`)
      await page.getByRole('heading', { name: 'Home' }).waitFor()
      await page.context().close()
    } finally {
      await proxy.stop()
    }
  })

  test('is dark where the system is, until somebody chooses', async () => {
    const page = await open('/console')
    const theme = () => page.evaluate('document.documentElement.dataset.theme')
    await page.emulateMedia({ colorScheme: 'dark' })
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await expect.poll(theme).toBe('dark')
    await page.emulateMedia({ colorScheme: 'light' })
    await expect.poll(theme).toBe('light')
  })
})
