import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest'
import { type Canary, startCanary } from '#test/support/canary.ts'
import { runCliInProcess } from '#test/support/cli-in-process.ts'
import { openPart } from '#test/support/console-browser.ts'
import { looksSound } from '#test/support/console-looks.ts'
import { openVisitors, type Visitors } from '#test/support/console-visitors.ts'
import type { Member } from '#test/support/identity.ts'
import { PATIENCE } from '#test/support/patience.ts'
import { needs } from '#test/support/programs/needs.ts'
import { approvalForm, gateRow, openQueue, parkPost, QUEUE_HOSTILE } from '#test/support/queue-page.ts'
import { openQueueWorld, type QueueWorld } from '#test/support/queue-world.ts'

let world: QueueWorld
let ill: Canary
let visitors: Visitors
let approver: Member
let auditor: Member

const call = <Body>(path: string, body: object) =>
  world.service.call<Body>('POST', path, body, world.people.owner.headers)
const section = (page: Page, title: string) =>
  page
    .locator('section')
    .filter({ has: page.getByRole('heading', { name: title, exact: true }) })
    .last()
const messages = (page: Page) =>
  page.getByRole('status').filter({ has: page.getByRole('button', { name: 'Close this message' }) })

async function alerted(service: string, runbook_url: string, severity = 'critical'): Promise<string> {
  const labels = { alertname: 'QueueIsLong', service, severity, url: `${ill.url}/${service}` }
  const annotations = { summary: `${service} is slow`, runbook_url }
  const { body } = await call<{ results: { run_id?: string }[] }>('/triggers/alert', {
    ...{ version: '4', groupKey: '{}', status: 'firing', receiver: 'svc', groupLabels: {}, truncatedAlerts: 0 },
    ...{ commonLabels: labels, commonAnnotations: annotations, externalURL: 'http://am.example.test' },
    alerts: [{ status: 'firing', labels, annotations, startsAt: '2026-01-01T00:00:00Z' }],
  })
  const id = body.results[0]?.run_id ?? expect.fail(JSON.stringify(body))
  await world.waits(id)
  return id
}

async function say(run: string, text: string): Promise<void> {
  const { body } = await world.service.call<{ gate_id: string }>(
    ...(['GET', `/runs/${run}/pending-approval`, undefined, world.people.owner.headers] as const),
  )
  await call(`/approvals/${body.gate_id}/comments`, { text })
}

describe('what stands beside a gate, and what an auditor takes away', needs('chromium'), () => {
  beforeAll(async () => {
    world = await openQueueWorld({ postgres_url: inject('postgres_url'), temporal_address: inject('temporal_address') })
    ill = await startCanary((request, response) => {
      const detail = request.url?.startsWith('/checkout') ? 'pool held by payments-3' : 'restart refused: disk full'
      response.writeHead(503, { 'content-type': 'application/json' }).end(JSON.stringify({ since: '13:08', detail }))
    })
    approver = await world.people.add('approver', { roles: ['approver'] })
    auditor = await world.people.add('auditor', { roles: ['auditor'] })
    visitors = await openVisitors(world.service)
    const { body: corpus } = await call<{ id: string }>('/ui/api/knowledge', {
      ...{ name: 'runbooks', source: { kind: 'inline' } },
    })
    const text = `# Till\n\nGeneral.\n\n## Drain\n\nDrain it first. ${QUEUE_HOSTILE} [approve](javascript:window.hit=1)\n`
    await call(`/ui/api/knowledge/${corpus.id}/index`, { documents: [{ path: 'ops/till.md', text }] })
  })
  afterAll(async () => {
    await visitors?.close()
    await ill?.stop()
    await world?.close()
  })
  afterEach(async () => expect(await visitors.leave()).toEqual([]))

  test('shows how the last runs ended, and quotes the runbook that the alert names, as text', async () => {
    const address = 'https://wiki.example.test/ops/till.md#drain'
    const first = await alerted('till', address)
    await world.answer(first, approver, { decision: 'reject', note: 'not at <b>noon</b>' })
    await expect.poll(() => world.statusOf(first), PATIENCE).toBe('rejected')
    const run = await alerted('till', address)
    const page = await openQueue(visitors, approver)
    await gateRow(page, 'till is slow').click()
    await page.getByText('May the step “Restart or roll back” run?').waitFor()
    const found = section(page, 'Evidence').locator('pre').first()
    await found.waitFor()
    expect(await found.innerText(), 'neither headers nor the same text twice').toBe(
      'status: 503\njson:\n  detail: restart refused: disk full\n  since: 13:08',
    )
    const before = section(page, 'How it went before')
    await before.getByText('rejected by approver@example.test: not at <b>noon</b>').waitFor()
    await before.getByText('same alert').waitFor()
    const quotation = page.getByRole('figure')
    await quotation.getByRole('blockquote').getByText('Drain it first.').waitFor()
    expect(await quotation.getByRole('blockquote').getByRole('link').count(), 'no markup of it is used').toBe(0)
    await quotation.getByText('Quoted from').waitFor()
    await quotation.getByText('named by the alert as its runbook').waitFor()
    await looksSound(page)
    await say(run, 'it holds the ledger lock')
    await page.getByRole('button', { name: 'Approve (a)' }).click()
    const form = approvalForm(page)
    await form.getByText('Evidence: status: 503 · detail: restart refused: disk full · since: 13:08').waitFor()
    await form.getByText('Comment by owner@example.test: it holds the ledger lock').waitFor()
    expect((await form.innerText()).split(`${ill.url}/till/restart`), 'says the address once').toHaveLength(2)
    await form.getByRole('button', { name: 'Cancel (Esc)' }).click()
    await quotation.getByRole('link', { name: 'runbooks: ops/till.md, lines 5 to 7' }).click()
    await page.getByRole('heading', { name: 'ops/till.md' }).waitFor()

    await page.goto(`${world.service.url}/console/runs/${first}#before`)
    await page.getByRole('region', { name: 'How it went before' }).getByText('No run of this template').waitFor()
    await page.getByRole('region', { name: 'What a document of this workspace says' }).getByText('Drain it').waitFor()
    const shown = await runCliInProcess(['run', 'show', run], cliAs(approver))
    expect(shown.stdout).toMatch(new RegExp(`before +${first} rejected .*\\(same alert\\), rejected by approver`))
    expect(shown.stdout).toMatch(/runbook +runbooks: ops\/till\.md:5-7, named by the alert, quoted\n +\| ## Drain\n/)
    expect(shown.stdout).not.toContain('\u202e')
    await world.answer(run, approver, { decision: 'reject' })
  })

  test('says that the last run of the alert failed, and why', async () => {
    const failed = await alerted('ledger', ill.url)
    await world.answer(failed, approver, { decision: 'approve' })
    await expect.poll(() => world.statusOf(failed), PATIENCE).toBe('failed')
    const run = await alerted('ledger', ill.url)
    const page = await openQueue(visitors, approver)
    await gateRow(page, 'ledger is slow').click()
    const said = page.getByText('The last run of this alert failed')
    await said.getByText('restart refused: disk full').waitFor()
    await said.getByRole('link', { name: 'See that run' }).click()
    await page.waitForURL(`**/console/runs/${failed}`)
    await world.answer(run, approver, { decision: 'reject' })
  })

  test('names what equal gates are about, those of a critical alert in front, on Approvals as on Home', async () => {
    const runs = await Promise.all(
      ['disk', 'cache', 'log'].map((name) =>
        world.start('sre/service-recovery', {
          ...{ environment: 'plain', reason: `${name} grows`, inputs: { url: `${ill.url}/${name}` } },
        }),
      ),
    )
    await Promise.all(runs.map((run) => world.waits(run)))
    for (const service of ['basket', 'search', 'mail']) runs.push(await alerted(service, ill.url, 'warning'))
    runs.push(await alerted('checkout', ill.url))
    const inOrder = [
      expect.stringMatching(/^4 equal gates\s+1 critical\s+checkout, basket and 2 more\s[\s\S]*trigger: alert\s/),
      expect.stringMatching(/^3 equal gates\s+\w+ grows, \w+ grows and \w+ grows\s[\s\S]*trigger: direct\s/),
    ]
    const page = await openQueue(visitors, approver)
    const rows = page.getByRole('list', { name: 'Waiting for an answer' }).getByRole('listitem')
    await expect.poll(() => rows.allInnerTexts(), PATIENCE).toEqual(inOrder)
    await gateRow(page, 'checkout, basket').click()
    const line = (service: string) =>
      page
        .getByRole('table', { name: '4 equal gates' })
        .getByRole('row')
        .filter({ hasText: `${service} is slow` })
    expect(await line('checkout').innerText()).toMatch(/^\s*critical\s+checkout is slow\s+POST /)
    const bold = (service: string) => line(service).locator('b').allInnerTexts()
    expect(await bold('checkout'), 'what was found, bold where the others found something else').toEqual(
      expect.arrayContaining(['pool', 'held', 'payments-3']),
    )
    expect(await line('basket').innerText()).toContain('detail: restart refused: disk full')
    expect(await bold('basket')).toEqual(['basket'])
    expect(await line('basket').innerText()).not.toContain('curl')
    await line('basket').getByText('asked by owner@example.test').waitFor()
    await page.goto(`${world.service.url}/console`)
    const mine = page.getByRole('region', { name: 'Waiting for you' }).getByRole('listitem')
    await expect.poll(() => mine.allInnerTexts(), PATIENCE).toEqual(inOrder)
    await Promise.all(runs.map((run) => world.answer(run, approver, { decision: 'reject' })))
  })

  test('approves no gate of a group past a comment, and says what became of a group', async () => {
    const names = ['basket', 'search', 'mail', 'cart']
    const runs = []
    for (const name of names) runs.push(await alerted(name, ill.url, 'warning'))
    const [basket = '', search = ''] = runs
    await say(search, 'look first')
    await say(search, 'DO NOT restart it\nit holds the ledger lock')
    const page = await openQueue(visitors, approver)
    const rows = page.getByRole('table', { name: '4 equal gates' }).getByRole('row')
    const said = '2 comments, the newest by owner@example.test: DO NOT restart it it holds the ledger lock'
    await gateRow(page, '1 with a comment').click()
    await rows.filter({ hasText: 'search is slow' }).getByText(said).waitFor()
    await page.getByText('1 of them has a comment, or somebody is looking at it').waitFor()
    await page.getByRole('button', { name: 'Choose all' }).click()
    await page.getByText('3 of 4 chosen').waitFor()
    await page.getByRole('button', { name: 'Approve the chosen' }).click()
    await approvalForm(page).getByText('You approve 3 gates').waitFor()
    // what comes after the choice counts as well
    await say(basket, 'nor this one')
    await approvalForm(page).getByText('You approve 2 gates').waitFor()
    await page.getByText('1 gate has a new comment since you chose it').waitFor()
    for (const name of ['search', 'basket'])
      await page.getByRole('checkbox', { name: new RegExp(`/${name}/restart$`) }).click()
    const listed = approvalForm(page).getByRole('list', { name: 'You approve 4 gates' }).getByRole('listitem')
    await expect.poll(() => listed.count(), PATIENCE).toBe(4)
    const [first, second, third] = await listed.allInnerTexts()
    expect([first, second].join('\n')).toContain(said)
    expect([first, second].join('\n')).toContain('Comment by owner@example.test: nor this one')
    expect(third).toMatch(/is slow\s+POST .*\s+status: 503 · detail: restart refused: disk full/)
    await page.keyboard.press('Escape')
    await Promise.all(runs.map((run) => world.answer(run, approver, { decision: 'reject' })))
    await gateRow(page, '4 gates, none waits any longer').getByText('4 closed elsewhere.').waitFor()
    expect(await page.getByRole('checkbox').count()).toBe(0)
    expect(await page.getByText('the oldest waits').count()).toBe(0)
    await gateRow(page, 'none waits any longer').click()

    const alone = await alerted('till-2', ill.url)
    await say(alone, 'not on its own either')
    await gateRow(page, 'Comment by owner@example.test: not on its own either').waitFor()
    await world.answer(alone, approver, { decision: 'reject' })
  })

  test('hands an auditor the evidence of a run as a file that holds without the service', async () => {
    const run = await parkPost(world, 'for-the-auditor')
    await world.answer(run, approver, { decision: 'approve', note: 'seen it' })
    await expect.poll(() => world.statusOf(run), PATIENCE).toBe('succeeded')
    const page = await visitors.open(auditor, `/console/runs/${run}#lineage`)
    await page.getByText('Verified in this browser').waitFor()
    await expect
      .poll(() => page.getByRole('table', { name: 'Records of this run' }).innerText(), PATIENCE)
      .toContain('run.succeeded')
    await openPart(page, 'Summary')
    const facts = page.getByRole('complementary', { name: 'Facts of this run' })
    expect(await facts.getByText('Plan hash').isVisible(), 'ids, hash and lane are folded').toBe(false)
    await facts.getByText('Identifiers and details').click()
    await facts.getByText('Plan hash').waitFor()
    await openPart(page, 'Record')
    await page
      .getByRole('region', { name: 'Lineage' })
      .getByText(/approver@example\.test|by approver/)
      .first()
      .waitFor()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download evidence' }).click(),
    ])
    expect(download.suggestedFilename()).toBe(`${run}.evidence.json`)
    const path = await download.path()
    expect(readFileSync(path, 'utf8')).toContain('seen it')
    const checked = await runCliInProcess(['evidence', '--verify', path], { url: 'http://127.0.0.1:1' })
    expect([checked.code, checked.stdout]).toEqual([0, expect.stringContaining(`${run} succeeded`)])
  })

  test('says what an action did without taking the focus, and takes it back by the keyboard', async () => {
    const { people } = world
    const schedule = { name: 'nightly', pack: 'shown', template: 'post', cron: '0 3 * * *', timezone: 'UTC' }
    await call('/triggers/scheduled', { ...schedule, environment: 'plain', inputs: { url: `${world.target.url}/n` } })
    const page = await visitors.open(people.owner, '/console/triggers?part=schedules', { reducedMotion: 'reduce' })
    const pause = page.getByRole('button', { name: 'Pause nightly' })
    await pause.press('Enter')
    await messages(page).getByText('nightly is paused.').waitFor()
    const resume = page.getByRole('button', { name: 'Resume nightly' })
    await resume.waitFor()
    expect(await page.evaluate('document.activeElement.textContent')).not.toBe('Undo')
    await looksSound(page)
    await page.keyboard.press('Alt+t')
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Undo')
    await page.keyboard.press('Enter')
    await messages(page).getByText('nightly is active again.').waitFor()
    await pause.waitFor()
    await page.getByRole('button', { name: 'Close this message' }).last().click()
    await expect.poll(() => messages(page).count(), PATIENCE).toBe(0)

    await page.getByRole('button', { name: 'Stop…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Stop runs' })
    await dialog.getByLabel('Why').fill('a drill')
    await dialog.getByRole('button', { name: 'Halt', exact: true }).click()
    await dialog.getByRole('button', { name: 'Yes, stop it' }).click()
    await page.getByRole('complementary', { name: 'Halts' }).getByText('a drill').waitFor()
    await messages(page).getByRole('button', { name: 'Undo' }).click()
    await messages(page).getByText('Lifted: ').waitFor()
    await page.getByRole('complementary', { name: 'Halts' }).waitFor({ state: 'detached' })
  })

  function cliAs({ headers }: Member) {
    const token = (headers.authorization ?? '').replace('Bearer ', '')
    return { url: world.service.url, env: { SVC_TOKEN: token } }
  }
})
