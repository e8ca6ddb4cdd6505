import { type Browser, type BrowserContextOptions, type Cookie, chromium, type Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, inject, test, vi } from 'vitest'
import { startCanary } from '#test/support/canary.ts'
import { seriousFindings } from '#test/support/console-axe.ts'
import { type WatchedPage, watchPage } from '#test/support/console-browser.ts'
import { AUTH_ENV, type Member } from '#test/support/identity.ts'
import { needs, programOf } from '#test/support/programs/needs.ts'
import { openQueueDesk, type QueueDesk } from '#test/support/queue-desk.ts'
import { clearQueue, tabTo } from '#test/support/queue-keys.ts'

const GATES = 50
const PICTURES = process.env['UPDATE_SCREENSHOTS'] === '1'
const KINDS = ['plain', 'pair', 'dba', 'security', 'noted', 'thaw', 'soon', 'live', 'exact', 'old'] as const
const HOSTILE = '"><img src=x onerror="window.hit=1"></pre><script>window.hit=1</script>\u202egnp.exe'

let browser: Browser
let desk: QueueDesk
let ann: Member
let bob: Member
let viewer: Member
const watched: WatchedPage[] = []
const sessions = new Map<string, Cookie[]>()

/** The page in a browser of this person, who signs in once: sign-ins are counted. */
async function open(who: Member, path: string, options: BrowserContextOptions = {}): Promise<Page> {
  const cookies = sessions.get(who.id)
  const context = await browser.newContext({ locale: 'en-GB', timezoneId: 'Europe/Berlin', ...options })
  if (cookies !== undefined) await context.addCookies(cookies)
  const one = await watchPage(context, desk.service.url)
  watched.push(one)
  await one.page.goto(`${desk.service.url}${path}`)
  if (cookies === undefined) {
    await one.page.getByLabel('Mail address').fill(who.email)
    await one.page.getByLabel('Password').fill(AUTH_ENV.SVC_ADMIN_PASSWORD)
    await one.page.getByRole('button', { name: 'Sign in' }).click()
  }
  await one.page.getByRole('heading', { name: 'Gates' }).waitFor()
  sessions.set(who.id, await context.cookies())
  return one.page
}

/** what a page hears of others by; one that gets no answer has heard nothing since */
const NEWS = /\/(approvals|pending-approval|stream)(\?|$)/

const gates = (page: Page) => page.getByRole('list', { name: 'Waiting for an answer' })
const row = (page: Page, text: string | RegExp) => gates(page).getByRole('button', { name: text })
const form = (page: Page) => page.getByRole('form', { name: 'You approve' })

async function parked(name: string, body: object = {}): Promise<string> {
  const id = await desk.post(name, { environment: 'plain', ...body })
  await desk.waits(id)
  return id
}

describe('the queue of gates', needs('chromium'), () => {
  beforeAll(async () => {
    const { command, env } = programOf('chromium')
    browser = await chromium.launch({
      executablePath: command,
      args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
      env: { ...process.env, ...env },
    })
    desk = await openQueueDesk({
      postgres_url: inject('postgres_url'),
      temporal_address: inject('temporal_address'),
    })
    ann = await desk.people.add('ann', { roles: ['operator'], approval_roles: ['dba'] })
    bob = await desk.people.add('bob', { roles: ['approver'], approval_roles: ['security'] })
    viewer = await desk.people.add('onlooker', { roles: ['viewer'] })
    await vi.waitFor(async () => expect((await fetch(`${desk.service.url}/console`)).status).toBe(200), {
      timeout: 60_000,
      interval: 100,
    })
  })
  afterAll(async () => {
    await browser?.close()
    await desk?.close()
  })
  afterEach(async () => {
    const all = watched.splice(0)
    await Promise.all(all.map(({ page }) => page.context().close()))
    expect(all.flatMap(({ faults }) => faults)).toEqual([])
  })

  test('is cleared by keyboard alone by two people, whatever its gates ask for', async () => {
    const runs = Array.from({ length: GATES }, (_, n) => ({ n, kind: KINDS[n % KINDS.length] ?? 'plain' }))
    const ids = await Promise.all(
      runs.map(({ n, kind }) =>
        desk.post(
          `${kind}-${n}`,
          kind === 'exact' ? { environment: 'plain', profile: 'exact' } : { environment: kind },
        ),
      ),
    )
    await Promise.all(ids.map((id) => desk.waits(id)))
    await desk.freeze('thaw')
    const page = await open(ann, '/console')
    const frozen = runs.filter(({ kind }) => kind === 'thaw').length
    await vi.waitFor(
      async () => expect(await page.getByText('nobody may approve it before').count()).toBe(frozen),
      20_000,
    )
    const began = Date.now()

    // what nobody will answer any more
    await tabTo(page, 'Dismiss stale gates…')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'Dismiss stale gates' }).waitFor()
    await page.keyboard.type('0')
    await page.keyboard.press('Control+a')
    await page.keyboard.type('0')
    for (const text of ['', 'old', 'left over from last week']) {
      await page.keyboard.press('Tab')
      await page.keyboard.type(text)
    }
    await page.keyboard.press('Enter')
    const stale = runs.filter(({ kind }) => kind === 'old').length
    const act = stale === 1 ? 'Dismiss this 1 gate' : `Dismiss these ${stale} gates`
    await page.getByRole('button', { name: act }).waitFor()
    await tabTo(page, act)
    await page.keyboard.press('Enter')
    await page.getByText(/gates? (was|were) dismissed\./).waitFor()
    await page.keyboard.press('Escape')

    await page.keyboard.press('m')
    const said = await clearQueue(page)
    const other = await open(bob, '/console/gates?awaiting_me=true')
    const after = await clearQueue(other)
    const took_s = (Date.now() - began) / 1_000
    await other.keyboard.press('m')
    await other.getByText('Nothing waits for an answer.', { exact: true }).waitFor()
    process.stdout.write(
      `${GATES} gates: ${stale} dismissed, ${said.length + after.length} answers by two people in ${took_s.toFixed(1)} s\n`,
    )
    const pairs = runs.filter(({ kind }) => kind === 'pair').length
    expect(said.length + after.length).toBe(GATES - stale + pairs)
    expect(said.filter((each) => each.includes('Your approval counts, 1 of 2'))).toHaveLength(pairs)
    expect(took_s).toBeLessThan(300)

    const ends = { thaw: 'rejected', old: 'expired' } as Partial<Record<string, string>>
    for (const [place, { kind }] of runs.entries())
      expect([kind, await desk.statusOf(ids[place] ?? '')]).toEqual([kind, ends[kind] ?? 'succeeded'])
    const acted = desk.target.requests.map(({ url }) => url.slice(1)).sort()
    const approved = runs.filter(({ kind }) => ends[kind] === undefined)
    expect(acted).toEqual(approved.map(({ kind, n }) => `${kind}-${n}`).sort())
  }, 600_000)

  test('takes away what is decided elsewhere, and says who was first to whoever looked at it', async () => {
    const [looked, other] = [await parked('looked-at'), await parked('in-passing')]
    const page = await open(bob, '/console/gates')
    await row(page, 'looked-at').click()
    await page.getByText('May the step “act” run?').waitFor()
    await desk.answer(other, ann, { decision: 'reject' })
    await row(page, 'in-passing').waitFor({ state: 'detached' })
    await desk.answer(looked, ann, { decision: 'approve', note: HOSTILE })
    const gone = page.getByRole('alert').filter({ hasText: 'This does not wait any more' })
    await gone.getByText(`ann@example.test: approved, through api`).waitFor()
    expect(await gone.innerText()).toContain('<script>window.hit=1</script>\\u{202e}gnp.exe')
    await page.keyboard.press('Escape')
    await row(page, 'looked-at').waitFor({ state: 'detached' })
    expect(await page.evaluate('window.hit')).toBeUndefined()
  })

  test('counts down to the end of a gate, and says that nobody answered in time', async () => {
    const page = await open(bob, '/console/gates')
    await parked('in-a-hurry', { environment: 'brief' })
    await row(page, 'in-a-hurry').click()
    await row(page, /expires in [1-7] seconds?/).waitFor()
    const gone = page.getByRole('alert').filter({ hasText: 'This does not wait any more' })
    await gone.getByText('Nobody answered in time, or it was dismissed.').waitFor()
    await gone.getByText('Why the run stands so: ttl').waitFor()
    await tabTo(page, 'Close (Esc)')
    await page.keyboard.press('Enter')
    await page.getByText('Nothing waits for an answer.').waitFor()
  })

  test('says who was first to whoever answers second', async () => {
    const id = await parked('one-gate')
    const [first, second] = [await open(ann, '/console/gates'), await open(bob, '/console/gates')]
    for (const page of [first, second]) {
      await row(page, 'one-gate').focus()
      await page.keyboard.press('a')
      await form(page).waitFor()
    }
    await second.route(NEWS, () => {})
    await first.keyboard.press('Enter')
    await first.getByRole('status').filter({ hasText: 'Approved: POST' }).waitFor()
    await second.keyboard.press('Enter')
    const refused = form(second).getByRole('alert')
    await refused.getByText('Somebody was first. Nothing of yours was done.').waitFor()
    await refused.getByText('ann@example.test: approved, through console').waitFor()
    expect(await desk.statusOf(id)).toBe('succeeded')
    expect(desk.target.requests.filter(({ url }) => url === '/one-gate')).toHaveLength(1)
  })

  test('shows nothing as done before the API has said so, and sends an answer that was lost only once', async () => {
    const id = await parked('lost-answer')
    const page = await open(ann, '/console/gates')
    await row(page, 'lost-answer').focus()
    await page.keyboard.press('a')
    await form(page).waitFor()
    let answer = () => {}
    const held = new Promise<void>((resolve) => {
      answer = resolve
    })
    await page.route(NEWS, () => {})
    // the API takes it, and the way back breaks
    await page.route('**/resume', async (route) => {
      await held
      await route.fetch()
      await route.abort()
    })
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Sending…' }).waitFor()
    expect(await page.getByRole('status').allInnerTexts()).not.toContain('Approved: POST')
    answer()
    await page.getByText('No answer came, so it is not known whether it was done.').waitFor()
    await page.unroute('**/resume')
    await tabTo(page, 'Approve')
    await page.keyboard.press('Enter')
    await page.getByRole('status').filter({ hasText: 'Approved: POST' }).waitFor()
    expect(await desk.statusOf(id)).toBe('succeeded')
    expect(desk.target.requests.filter(({ url }) => url === '/lost-answer')).toHaveLength(1)
  })

  test('asks again when the plan changes under the eyes of whoever approves it', async () => {
    const [before, after] = [await startCanary(), await startCanary()]
    try {
      await desk.connectTo(before.url)
      const id = await desk.start('shown/through', { inputs: {} })
      await desk.waits(id)
      const page = await open(bob, '/console/gates')
      await row(page, `${before.url}/restart`).focus()
      await page.keyboard.press('a')
      await form(page).waitFor()
      await page.keyboard.type('seen on the dashboard')
      await desk.connectTo(after.url)
      expect((await desk.answer(id, ann, { decision: 'approve' })).status).toBe(200)
      const changed = page.getByRole('alert').filter({ hasText: 'This has changed while you looked at it' })
      await changed.waitFor()
      await expect.poll(() => changed.innerText()).toContain('ann@example.test: approved')
      expect(await changed.innerText()).toContain(new URL(before.url).host)
      expect(await changed.innerText()).toContain(new URL(after.url).host)
      expect(await page.getByRole('button', { name: /^Approve/ }).count()).toBe(0)
      await page.keyboard.press('Enter')
      expect([before.connections(), after.connections()]).toEqual([0, 0])
      await tabTo(page, 'I have seen the change')
      await page.keyboard.press('Enter')
      await page.getByText('the plan has changed since it was approved').waitFor()
      await page.keyboard.press('a')
      expect(await form(page).getByLabel('Note').inputValue()).toBe('seen on the dashboard')
      await page.keyboard.press('Enter')
      await page.getByRole('status').filter({ hasText: 'Approved:' }).waitFor()
      expect(await desk.statusOf(id)).toBe('succeeded')
      expect([before.requests.length, after.requests.length]).toEqual([0, 1])
    } finally {
      await Promise.all([before.stop(), after.stop()])
    }
  })

  test('shows alert, command, note and evidence as text, whatever stands in them', async () => {
    const long = 'x'.repeat(3_000)
    const ill = await startCanary((_request, response) =>
      response.writeHead(503, { 'content-type': 'application/json' }).end(JSON.stringify({ why: HOSTILE, long })),
    )
    try {
      const labels = { alertname: HOSTILE, service: `svc ${HOSTILE}`, severity: 'critical', url: ill.url, long }
      const annotations = { summary: HOSTILE, description: long, runbook_url: 'javascript:window.hit=1' }
      const alert = {
        status: 'firing',
        labels,
        annotations,
        startsAt: '2026-01-01T00:00:00Z',
        generatorURL: 'javascript:window.hit=1',
      }
      const group = {
        version: '4',
        groupKey: '{}',
        status: 'firing',
        receiver: 'svc',
        groupLabels: {},
        alerts: [alert],
      }
      const { body } = await desk.service.call<{ results: { run_id?: string }[] }>(
        'POST',
        '/triggers/alert',
        {
          ...group,
          truncatedAlerts: 0,
          commonLabels: labels,
          commonAnnotations: annotations,
          externalURL: 'http://am.example.test',
        },
        ann.headers,
      )
      const alerted = body.results[0]?.run_id ?? ''
      await desk.waits(alerted)
      const posted = await parked('hostile', {
        inputs: { url: `${desk.target.url}/hostile`, note: `${HOSTILE}${long}` },
      })
      const page = await open(bob, '/console/gates', { viewport: { width: 375, height: 800 }, colorScheme: 'dark' })
      await row(page, `${ill.url}/restart`).click()
      await page.getByRole('heading', { name: 'The alert behind it' }).waitFor()
      await page.getByText('Read all of it').click()
      await expect.poll(() => page.getByText('"status": 503').count()).toBeGreaterThan(0)
      expect(await page.locator('main').innerText()).toContain('<script>window.hit=1</script>')
      expect(await page.locator('a[href^="javascript" i]').count()).toBe(0)
      await isSound(page)
      await row(page, '/hostile').click()
      await page.getByRole('heading', { name: 'To the letter' }).waitFor()
      expect(await page.locator('main').innerText()).toContain('\\u{202e}gnp.exe')
      await isSound(page)
      for (const id of [alerted, posted]) await desk.answer(id, bob, { decision: 'reject' })
    } finally {
      await ill.stop()
    }
  })

  test('offers a viewer no answer, and nobody one that would be refused', async () => {
    const id = await parked('for-the-dba', { environment: 'dba' })
    const page = await open(viewer, '/console/gates')
    await page.getByText('You may look.').waitFor()
    await row(page, 'for-the-dba').focus()
    await page.keyboard.press('a')
    await page.getByText('You cannot approve this').waitFor()
    await page.getByText('1 more approval, from dba').first().waitFor()
    expect(await page.getByRole('button', { name: /^(Approve|Reject|Dismiss)/ }).count()).toBe(0)
    const other = await open(bob, '/console/gates')
    await row(other, 'for-the-dba').click()
    await other.getByRole('button', { name: 'Reject (r)' }).waitFor()
    expect(await other.getByRole('button', { name: /^Approve/ }).count()).toBe(0)
    await other.goto(`${desk.service.url}/console/gates?risk=odd`)
    expect(await other.getByRole('alert').innerText()).toContain('risk')
    await desk.answer(id, bob, { decision: 'reject' })
  })

  test('shows what an answer should rest on', async () => {
    const id = await parked('rehearse', { environment: 'rehearsed', reason: 'it is slow' })
    const page = await open(ann, '/console/gates?environment=rehearsed&template=shown/post&risk=medium')
    await row(page, 'rehearse').click()
    const shown = page.getByRole('region', { name: 'May the step “act” run?' })
    for (const text of [
      `curl -X POST '${desk.target.url}/rehearse'`,
      `would send POST ${desk.target.url}/rehearse`,
      'the pack requires approval for this step',
      'rehearsed (overlay, require_dry_run) rehearsed first',
      '1 target (http)',
      'Nobody has answered yet.',
      'starter@example.test',
      'US dollars for the run',
      'No step before this one has found anything out.',
      'loopback',
    ])
      await expect.poll(() => shown.innerText(), { message: text }).toContain(text)
    await desk.answer(id, bob, { decision: 'reject' })
  })

  test('is read by everybody: dark and light, small and wide', async () => {
    const ids = [await parked('restart-checkout'), await parked('restart-basket', { environment: 'noted' })]
    ids.push(await parked('restart-search', { environment: 'pair' }))
    const wide = await open(ann, '/console/gates', { viewport: { width: 1_280, height: 900 }, colorScheme: 'light' })
    const small = await open(ann, '/console/gates', { viewport: { width: 375, height: 800 }, colorScheme: 'dark' })
    for (const page of [wide, small]) {
      await row(page, 'restart-basket').focus()
      await page.keyboard.press('a')
      await form(page).waitFor()
      await page.getByRole('heading', { name: 'Identifiers' }).waitFor()
      expect(await seriousFindings(page)).toEqual([])
      await isSound(page)
    }
    if (PICTURES) {
      await wide.screenshot({ path: 'docs/images/console-gates.png' })
      await small.screenshot({ path: 'docs/images/console-gates-small.png' })
    }
    await wide.keyboard.press('Escape')
    await tabTo(wide, 'Close (Esc)')
    await wide.getByRole('button', { name: 'Dismiss stale gates…' }).click()
    expect(await seriousFindings(wide)).toEqual([])
    for (const id of ids) await desk.answer(id, bob, { decision: 'reject', note: 'done' })
  })
})

/** Nothing of what is shown has run, and the page is no wider than the screen. */
async function isSound(page: Page): Promise<void> {
  expect(await page.evaluate('window.hit')).toBeUndefined()
  expect(await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')).toBe(0)
}
