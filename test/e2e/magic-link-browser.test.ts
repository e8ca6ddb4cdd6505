import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test, vi } from 'vitest'
import { type DemoService, startDemoService } from '#cli/demo/demo-server.ts'
import { AUTH_ENV, createIdentities } from '#test/support/identity.ts'
import { linkIn, type NotifiedService, startNotifiedService } from '#test/support/notified-service.ts'
import { PATIENCE } from '#test/support/patience.ts'
import { needs, programOf } from '#test/support/programs/needs.ts'
import { ended, eventsOf, type RunBody } from '#test/support/recovery.ts'

let browser: Browser
let demo: DemoService
let notified: NotifiedService

beforeAll(async () => {
  const { command, env } = programOf('chromium')
  browser = await chromium.launch({
    executablePath: command,
    args: ['--no-sandbox', '--disable-gpu'],
    env: { ...process.env, ...env },
  })
})
afterAll(() => browser?.close())
beforeEach(async () => {
  demo = await startDemoService()
  await fetch(`${demo.url}/fault`, { method: 'POST' })
})
afterEach(() => demo.stop())

/** A run that waits, and the link that somebody was sent about it. */
async function parkAndTell(headers: Record<string, string> = {}) {
  const { service, mail } = notified
  const body = { inputs: { url: demo.url } }
  const { id } = (await service.call<RunBody>('POST', '/packs/sre/service-recovery/run', body, headers)).body
  const mailOf = () => mail.received.find(({ raw, to }) => raw.includes(id) && to[0] === 'oncall@example.test')
  const message = await vi.waitFor(() => mailOf() ?? Promise.reject(new Error('no mail yet')), PATIENCE)
  return { id, ...linkIn(message) }
}

/** A page in a browser that has never been here. */
async function freshPage(): Promise<Page> {
  const context = await browser.newContext()
  context.setDefaultTimeout(PATIENCE.timeout)
  return await context.newPage()
}

const statusOf = async (id: string, headers: Record<string, string> = {}) =>
  (await notified.service.call<RunBody>('GET', `/runs/${id}`, undefined, headers)).body.status

/** In the page, as a script would: past the checks of the browser. */
const submitForm = (form: object) => {
  if ('submit' in form && typeof form.submit === 'function') form.submit()
}

describe('a browser on a magic link', needs('chromium'), () => {
  beforeAll(async () => {
    notified = await startNotifiedService({
      postgres_url: inject('postgres_url'),
      temporal_address: inject('temporal_address'),
    })
  })
  afterAll(() => notified?.stop())

  /** What mail scanners do: run the page, follow what it links to, send every form with every button. */
  async function scan(url: string, fill: string | undefined): Promise<void> {
    const page = await freshPage()
    const context = page.context()
    await context.request.head(url)
    await context.request.get(url, { headers: { purpose: 'prefetch', 'sec-purpose': 'prefetch' } })
    await page.goto(url, { waitUntil: 'networkidle' })
    const links = await page
      .locator('a')
      .evaluateAll((all) => all.map((each) => (each as { href?: string }).href ?? ''))
    expect(links).toEqual([])
    for (const radio of await page.locator('input[type=radio]').all()) {
      await radio.check()
      if (fill !== undefined) {
        for (const field of await page.locator('input[type=text], textarea').all()) await field.fill(fill)
      }
      // past the checks of the browser, as a script would send it
      await Promise.all([page.waitForNavigation(), page.locator('form').evaluate(submitForm)])
      expect(await page.locator('[role=alert]').textContent()).toContain('code')
    }
    await page.locator('button').first().click()
    await context.close()
  }

  test('decides nothing by all that a scanner does, and then a person decides with the code', async () => {
    const { id, url, code } = await parkAndTell()
    for (const fill of [undefined, 'test', 'https://scanner.example.test/']) await scan(url, fill)
    expect(await statusOf(id)).toBe('awaiting_approval')

    const page = await freshPage()
    const errors: string[] = []
    page.on('console', (message) => void errors.push(message.text()))
    await page.goto(url)
    expect(await page.locator('input[type=radio]:checked').count()).toBe(0)
    expect(await page.locator('pre').first().textContent()).toContain(demo.url)
    await page.getByLabel('Approve').check()
    await page.getByLabel(/^Code/).fill(code)
    await page.getByLabel(/^Note/).fill('from my phone')
    await page.getByRole('button').click()
    expect(await page.locator('[role=status]').textContent()).toContain('You have approved: ')
    expect((await ended(notified.service, id)).status).toBe('succeeded')
    const decision = (await eventsOf(notified.service, id)).find(({ type }) => type === 'gate.decision')
    expect(decision?.data).toMatchObject({ decision: 'approve', channel: 'magic_link', note: 'from my phone' })

    await page.goto(url)
    expect(await page.locator('.say').textContent()).toContain('Already decided by oncall@example.test')
    expect(errors).toEqual([])
    await page.context().close()
  })

  test('works without scripts, and in two tabs', async () => {
    const { id, url, code } = await parkAndTell()
    const context = await browser.newContext({ javaScriptEnabled: false })
    context.setDefaultTimeout(PATIENCE.timeout)
    const [first, second] = [await context.newPage(), await context.newPage()]
    await first.goto(url)
    await second.goto(url)
    await first.getByLabel('Reject').check()
    await first.getByLabel(/^Code/).fill(code)
    await first.getByRole('button').click()
    expect(await first.locator('[role=status]').textContent()).toContain('You have rejected: ')
    expect((await ended(notified.service, id)).status).toBe('rejected')
    await context.close()
  })

  test('cannot be made to decide by another site that knows link and code', async () => {
    const { id, url, code } = await parkAndTell()
    const page = await freshPage()
    await page.goto(url)
    const nonce = await page.locator('input[name=nonce]').inputValue()
    const form = `<form method="post" action="${url}"><input name="nonce" value="${nonce}"><input name="decision" value="approve"><input name="code" value="${code}"></form>`
    const evil = await page.context().newPage()
    await evil.route('http://evil.example.test/', (route) => route.fulfill({ contentType: 'text/html', body: form }))
    await evil.goto('http://evil.example.test/')
    const [answer] = await Promise.all([
      evil.waitForResponse((response) => response.request().method() === 'POST'),
      evil.locator('form').evaluate(submitForm),
    ])
    expect(answer.status()).toBe(403)
    expect(await statusOf(id)).toBe('awaiting_approval')
    await notified.service.call('POST', `/runs/${id}/resume`, { decision: 'reject' })
    await page.context().close()
  })
})

describe('a browser where the rule asks who decides', needs('chromium'), () => {
  beforeAll(async () => {
    notified = await startNotifiedService({
      postgres_url: inject('postgres_url'),
      temporal_address: inject('temporal_address'),
      env: AUTH_ENV,
      approval: ', prevent_self: true',
    })
  })
  afterAll(() => notified?.stop())

  test('shows nothing before somebody has signed in, and decides in that person’s name', async () => {
    const people = await createIdentities(notified.service)
    const alice = await people.add('alice', { roles: ['approver'] })
    const { id, url, code } = await parkAndTell(people.owner.headers)
    expect(code, 'the page takes none').toBe('')
    const page = await freshPage()
    await page.goto(url)
    const before = (await page.locator('body').textContent()) ?? ''
    expect(before).toContain('sre/service-recovery')
    expect(before).not.toMatch(/restart|sha256:|run_/)
    const signIn = async (email: string, password: string) => {
      await page.getByLabel('Mail address').fill(email)
      await page.getByLabel('Password').fill(password)
    }
    await signIn(alice.email, 'a wrong password')
    await page.getByRole('button').click()
    expect(await page.locator('[role=alert]').textContent()).toContain('not right')

    await signIn(people.owner.email, AUTH_ENV.SVC_ADMIN_PASSWORD)
    await page.getByRole('button').click()
    expect(await page.locator('pre').first().textContent()).toContain(demo.url)
    expect(await page.getByText(/^Signed in as/).count()).toBe(1)
    // the one who asked for it may not approve it, and is told who may
    expect(await page.locator('.say').textContent()).toMatch(/may reject this, not approve it.*: .*alice/)
    expect(await page.getByLabel('Reject').count()).toBe(1)
    expect(await page.getByLabel('Approve').count()).toBe(0)

    await signIn(alice.email, AUTH_ENV.SVC_ADMIN_PASSWORD)
    await page.getByRole('button', { name: 'Sign in and show' }).click()
    await page.getByLabel('Approve').check()
    await page.getByRole('button').click()
    expect(await page.locator('[role=status]').textContent()).toContain('You have approved: ')
    const run = await ended(notified.service, id, PATIENCE.timeout, people.owner.headers)
    expect(run.status).toBe('succeeded')
    const { body } = await notified.service.call<{ events: { type: string; actor?: { id: string } }[] }>(
      'GET',
      `/runs/${id}/events?limit=1000`,
      undefined,
      people.owner.headers,
    )
    expect(body.events.find(({ type }) => type === 'gate.decision')?.actor?.id).toBe(alice.id)
    await page.context().close()
  })

  /** A page of another site with these links, as a mailbox in a browser; opening one is a navigation across sites. */
  async function mailbox(page: Page, urls: string[]) {
    const links = urls.map((url, place) => `<a href="${url}">mail ${place + 1}</a>`).join(' ')
    await page.route('http://mail.example.test/', (route) => route.fulfill({ contentType: 'text/html', body: links }))
    return async (place: number) => {
      await page.goto('http://mail.example.test/')
      await page.getByText(`mail ${place}`).click()
    }
  }

  test.each([true, false])(
    'takes one sign-in for the gates of two mails of another site (scripts: %s)',
    async (javaScriptEnabled) => {
      const people = await createIdentities(notified.service)
      const bob = await people.add(`bob-${javaScriptEnabled}`, { roles: ['approver'] })
      const [first, second] = [await parkAndTell(people.owner.headers), await parkAndTell(people.owner.headers)]
      const context = await browser.newContext({ javaScriptEnabled })
      context.setDefaultTimeout(PATIENCE.timeout)
      const page = await context.newPage()
      const visits: string[] = []
      page.on('request', (request) => {
        if (request.isNavigationRequest() && request.url().includes('/triggers/approve/')) visits.push(request.method())
      })
      const open = await mailbox(page, [first.url, second.url])
      const approve = async () => {
        await page.getByLabel('Approve').check()
        await page.getByRole('button', { name: 'Send the decision' }).click()
        expect(await page.locator('[role=status]').textContent()).toContain('You have approved: ')
      }

      await open(1)
      await page.waitForURL(/again=1/)
      await page.getByLabel('Mail address').fill(bob.email)
      await page.getByLabel('Password').fill(AUTH_ENV.SVC_ADMIN_PASSWORD)
      await page.getByRole('button', { name: 'Sign in and show' }).click()
      await approve()
      // the first page, the same again, the sign-in, the decision
      expect(visits).toEqual(['GET', 'GET', 'POST', 'POST'])

      await open(2)
      await page.getByText(/^Signed in as/).waitFor()
      expect(await page.locator('input[type=password]').count()).toBe(0)
      await approve()
      expect(visits.slice(4)).toEqual(['GET', 'GET', 'POST'])
      for (const { id } of [first, second])
        expect((await ended(notified.service, id, PATIENCE.timeout, people.owner.headers)).status).toBe('succeeded')
      const [session] = (await context.cookies()).filter(({ name }) => name === 'svc_session')
      expect(session).toMatchObject({ sameSite: 'Strict', httpOnly: true })
      await context.close()
    },
  )

  test('needs no sign-in of a person who has signed in to the console', async () => {
    const people = await createIdentities(notified.service)
    const eve = await people.add('eve', { roles: ['approver'] })
    const { id, url } = await parkAndTell(people.owner.headers)
    const page = await freshPage()
    const data = { email: eve.email, password: AUTH_ENV.SVC_ADMIN_PASSWORD }
    const signedIn = await page.context().request.post(`${notified.service.url}/console/api/session`, { data })
    expect(signedIn.status()).toBe(200)
    const open = await mailbox(page, [url])
    await open(1)
    await page.getByText(/^Signed in as/).waitFor()
    await page.getByLabel('Reject').check()
    await page.getByRole('button', { name: 'Send the decision' }).click()
    expect((await ended(notified.service, id, PATIENCE.timeout, people.owner.headers)).status).toBe('rejected')
    await page.context().close()
  })
})
