import type { Locator, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { openPart } from '#test/support/console-browser.ts'
import { looksSound } from '#test/support/console-looks.ts'
import { PATIENCE } from '#test/support/patience.ts'
import { needs } from '#test/support/programs/needs.ts'
import { queueConsole } from '#test/support/queue-console.ts'
import { approvalForm, gateRow, openQueue, parkPost } from '#test/support/queue-page.ts'

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true } as const

const { world, visitors, approver } = queueConsole({
  approver: { roles: ['approver'] },
})

async function newWorkspace(slug: string): Promise<string> {
  const draft = { slug, name: slug }
  const { body } = await world.service.call<{ id: string }>('POST', '/workspaces', draft, world.people.owner.headers)
  return body.id
}

const group = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
const banner = (page: Page) => page.getByRole('complementary', { name: 'Halts' })

/** What a finger finds 21 pixels above and below the middle of an element. */
async function foundAround(page: Page, target: Locator): Promise<string[]> {
  await target.scrollIntoViewIfNeeded()
  const { x, y, width, height } = (await target.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }
  const at = (by: number) =>
    page.evaluate<string>(`document.elementFromPoint(${x + width / 2}, ${y + height / 2 + by})?.textContent ?? ''`)
  return [await at(-21), await at(21)]
}

describe('the console for somebody on call', needs('chromium'), () => {
  test('begins with what waits for this person and what failed, each with its list', async () => {
    const run = await parkPost(world, 'on-the-first-page', { reason: 'checkout answers 503' })
    const page = await visitors.open(approver, '/console')
    await group(page, 'Waiting for you').getByRole('link', { name: 'checkout answers 503' }).waitFor()
    await group(page, 'Failed in the last 24 hours').getByText('Nothing failed.').waitFor()
    await group(page, 'Service').getByRole('link', { name: 'Everything answers.' }).waitFor()
    await looksSound(page, 'home', true)
    await page.getByRole('link', { name: 'Show all: Waiting for you' }).click()
    await page.waitForURL('**/console/gates?awaiting_me=true')
    await world.answer(run, approver, { decision: 'reject' })
  })

  test('opens one gate by its address, wherever it is in the queue, and says when it is closed', async () => {
    const runs = [await parkPost(world, 'among-1'), await parkPost(world, 'among-2')]
    const page = await openQueue(visitors, approver)
    await gateRow(page, 'among-2').click()
    await page.getByRole('heading', { name: 'Identifiers' }).waitFor()
    const address = page.url()
    expect(new URL(address).searchParams.get('gate')).toMatch(/^gate_/)
    const other = await visitors.open(approver, new URL(address).pathname + new URL(address).search)
    await other.getByRole('button', { name: 'Approve (a)' }).waitFor()
    expect(await other.locator('button[aria-expanded=true]').filter({ hasText: 'among-2' }).count()).toBe(1)
    for (const run of runs) await world.answer(run, approver, { decision: 'reject' })
    await page.goto(address)
    const closed = page.locator('p').filter({ hasText: 'This gate is closed.' })
    await closed.getByRole('link').click()
    await page.waitForURL(`**/console/runs/${runs[1]}`)
    await page.goto(`${world.service.url}/console/gates?gate=gate_${'0'.repeat(26)}`)
    await page.getByText('This gate is closed, or in another workspace').waitFor()
  })

  test('finds a gate by its words, and takes every filter back by its chip', async () => {
    const runs = [await parkPost(world, 'needle', { reason: 'disk of needle is full' }), await parkPost(world, 'hay')]
    const page = await openQueue(visitors, approver)
    await gateRow(page, 'hay').waitFor()
    const search = page.getByRole('searchbox', { name: 'Search approvals' })
    const steps = await page.evaluate('history.length')
    await search.pressSequentially('NEEDLE is', { delay: 60 })
    await gateRow(page, 'hay').waitFor({ state: 'detached' })
    await expect.poll(() => new URL(page.url()).searchParams.get('q')).toBe('NEEDLE is')
    expect(await page.evaluate('history.length'), 'what is typed is no step to go back to').toBe(steps)
    expect(await search.evaluate('document.activeElement.getAttribute("name")'), 'one goes on typing').toBe('q')
    expect(await search.inputValue()).toBe('NEEDLE is')
    await gateRow(page, 'disk of needle is full').waitFor()
    await page.getByRole('button', { name: 'Filters', exact: true }).click()
    await page.getByLabel('Risk').selectOption('high')
    await page.getByText('No gate matches.').waitFor()
    expect(new URL(page.url()).searchParams.get('risk')).toBe('high')
    await page.getByRole('button', { name: 'Remove the filter Risk' }).click()
    await gateRow(page, 'disk of needle is full').waitFor()
    const places = page.getByRole('combobox', { name: 'Environment' })
    expect(await places.getByRole('option').allInnerTexts()).toEqual(expect.arrayContaining(['plain', 'production']))
    await places.selectOption('production')
    await page.getByText('No gate matches.').waitFor()
    expect(new URL(page.url()).searchParams.get('environment')).toBe('production')
    await page.getByRole('button', { name: 'Remove the filter Environment' }).click()
    await gateRow(page, 'disk of needle is full').waitFor()
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await gateRow(page, 'hay').waitFor()
    const templates = page.getByRole('combobox', { name: 'Template' })
    await templates.selectOption('shown/post')
    await expect.poll(() => new URL(page.url()).searchParams.get('template')).toBe('shown/post')
    await gateRow(page, 'disk of needle is full').waitFor()
    await page.getByRole('button', { name: 'Remove the filter Template' }).click()
    await page.goto(`${new URL(page.url()).origin}/console/runs?environment=of_before`)
    await page.getByText('No run matches.').waitFor()
    await page.getByRole('button', { name: 'Filters (1 set)' }).click()
    // one that is gone stays chosen
    await expect.poll(() => places.inputValue()).toBe('of_before')
    for (const run of runs) await world.answer(run, approver, { decision: 'reject' })
  })

  test('halts every workspace of an approver in one go, and says who can lift that', async () => {
    const workspaces = ['ws_00000000000000000000000000', await newWorkspace('stopped')]
    await world.people.add('keeper', { roles: ['admin'], workspaces: workspaces.slice(1) })
    const onCall = await world.people.add('on-call', { roles: ['approver'], workspaces })
    const page = await visitors.open(onCall, '/console/runs')
    await page.getByRole('button', { name: 'Stop…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Stop runs' })
    await dialog.getByText(/^What it stops: workspace (Default|stopped)$/).click()
    await dialog.getByLabel('Workspace').selectOption('all of yours')
    await dialog
      .getByText(/^What it stops: workspace (Default; workspace stopped|stopped; workspace Default)$/)
      .waitFor()
    await dialog.getByLabel('Why').fill('wrong hosts are restarted')
    await dialog.getByRole('button', { name: 'Halt' }).click()
    await dialog.getByRole('button', { name: 'Yes, stop it' }).click()
    const said = await page.getByText(/^Halted: .*To lift/).innerText()
    expect(said).toMatch(/To lift workspace stopped, ask .*keeper@/)
    expect(said).toMatch(/To lift workspace Default, ask .*@/)
    expect(said.match(/keeper@/g), 'who may not lift it is not named').toHaveLength(1)
    await dialog.waitFor({ state: 'detached' })
    await page.goto(`${world.service.url}/console/admin?part=halts`)
    const rows = page
      .getByRole('table', { name: 'Halts' })
      .getByRole('row')
      .filter({ hasText: /To lift it, ask .*@/ })
    await expect.poll(() => rows.count()).toBe(2)
    for (const [place, name] of ['Default', 'stopped'].entries()) {
      await page.goto(`${world.service.url}/console/runs?workspace=${workspaces[place]}`)
      await banner(page).getByText(`Halted: workspace ${name}`).waitFor()
    }
    const { headers } = world.people.owner
    const { body } = await world.service.call<{ id: string }[]>('GET', '/console/api/halts', undefined, headers)
    for (const { id } of body) await world.service.call('DELETE', `/console/api/halts/${id}`, undefined, headers)
  })

  test('searches runs as one types, at once on Enter, and never shows an older answer', async () => {
    const runs = [await parkPost(world, 'typed', { reason: 'typed by hand' }), await parkPost(world, 'other')]
    const page = await visitors.open(approver, '/console/runs')
    const row = (text: string) => page.getByRole('table', { name: 'Runs' }).getByRole('link', { name: text })
    await row('typed by hand').waitFor()
    const search = page.getByRole('searchbox', { name: 'Search runs' })
    // the answer for the first letters comes after that for all of them
    let release = () => {}
    const later = new Promise<void>((resolve) => {
      release = resolve
    })
    await page.route(/\/runs\?.*q=nothing(&|$)/, async (route) => {
      const response = await route.fetch()
      await later
      await route.fulfill({ response })
    })
    await search.fill('nothing')
    await page.waitForURL(/q=nothing/)
    await search.fill('typed by')
    await page.keyboard.press('Enter')
    await page.waitForURL(/q=typed(\+|%20)by/, { timeout: 200 })
    await row('typed by hand').waitFor()
    release()
    await page.waitForTimeout(500)
    await row('typed by hand').waitFor()
    expect(await page.getByRole('table', { name: 'Runs' }).getByRole('link').count()).toBe(1)
    expect(await search.evaluate('document.activeElement.getAttribute("name")')).toBe('q')
    await search.fill('')
    await row('shown/post').first().waitFor()
    expect(new URL(page.url()).searchParams.has('q')).toBe(false)
    for (const run of runs) await world.answer(run, approver, { decision: 'reject' })
  })

  test('keeps the note of an answer over a reload without a connection, until it is answered', async () => {
    const run = await parkPost(world, 'noted', { reason: 'a note is written' })
    const page = await visitors.open(approver, `/console/runs/${run}`)
    const note = () => approvalForm(page).getByRole('textbox', { name: 'Note' })
    await page.getByRole('button', { name: 'Approve (a)' }).click()
    await page.context().setOffline(true)
    await note().fill('rolled back by hand at 02:14')
    await page.context().setOffline(false)
    await page.reload()
    await page.getByRole('button', { name: 'Approve (a)' }).click()
    expect(await note().inputValue()).toBe('rolled back by hand at 02:14')
    const kept = () => page.evaluate('Object.entries(sessionStorage).filter(([name]) => name.startsWith("svc.note."))')
    expect(await kept()).toHaveLength(1)
    await approvalForm(page).getByRole('button', { name: 'Approve' }).click()
    await page.getByText('It succeeded.').waitFor()
    expect(await kept()).toEqual([])
  })

  test('answers a gate on the page of its run, on a phone, with targets that a finger finds', async () => {
    const run = await parkPost(world, 'by-thumb', { reason: 'the queue grows' })
    const page = await visitors.open(approver, `/console/runs/${run}`, PHONE)
    await page.getByRole('heading', { name: 'the queue grows' }).waitFor()
    const approve = page.getByRole('button', { name: 'Approve', exact: true })
    expect((await page.locator('main summary').first().boundingBox())?.height).toBeGreaterThanOrEqual(44)
    expect((await approve.boundingBox())?.height).toBeGreaterThanOrEqual(44)
    await approve.click()
    await approvalForm(page).getByRole('button', { name: 'Approve' }).click()
    await page.getByText('It succeeded.').waitFor()
    expect(await world.statusOf(run)).toBe('succeeded')
    const wide = await visitors.open(approver, '/console/gates?environment=plain&risk=high&text=nothing-like-it', PHONE)
    await wide.getByRole('button', { name: 'Clear filters' }).waitFor()
    expect(await wide.evaluate('document.documentElement.scrollWidth')).toBe(PHONE.viewport.width)
    const events = page.getByRole('table', { name: 'Events, oldest first' })
    expect(await events.count(), 'what is read later is closed').toBe(0)
    await openPart(page, 'Events')
    await events.waitFor()
    expect(await foundAround(page, events.getByRole('button').nth(1))).toEqual(['run.started', 'run.started'])
    expect(await foundAround(page, page.getByRole('link', { name: 'All runs' }))).toEqual(['All runs', 'All runs'])
    await openPart(page, 'Record')
    await page.getByRole('button', { name: 'Download evidence' }).waitFor()
    await openPart(page, 'Summary')
    await page
      .getByRole('region', { name: 'Steps' })
      .getByRole('button', { name: /^Details/ })
      .first()
      .waitFor()
    await events.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Menu' }).click()
    await page.getByRole('dialog', { name: 'Menu' }).getByRole('link', { name: 'Audit' }).click()
    await page.getByRole('heading', { name: 'Audit log' }).waitFor()
    const about = page.getByRole('row').filter({ hasText: 'the queue grows' }).first()
    await expect.poll(() => about.innerText(), PATIENCE).toMatch(/\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}/)
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(PHONE.viewport.width)
  })

  test('shows on a phone what was just opened, and which part of a page is open', async () => {
    const environments = ['plain', 'plain', 'noted', 'noted', 'dba', 'dba', 'dba']
    const runs = await Promise.all(environments.map((environment, n) => parkPost(world, `low-${n}`, { environment })))
    const page = await openQueue(visitors, approver, PHONE)
    const opened = gateRow(page, '3 equal gates')
    await opened.click()
    await page.getByRole('table', { name: '3 equal gates' }).waitFor()
    const top = async (row: typeof opened) => (await row.boundingBox())?.y
    await expect.poll(() => top(opened), PATIENCE).toBeLessThan(100)
    // what is chosen, and the answer to it, stay in view however far down one is
    const bar = [page.getByText('1 of 3 chosen'), page.getByRole('button', { name: 'Reject the chosen' })]
    for (const box of await page.getByRole('table').getByRole('checkbox').all()) {
      await box.click()
      for (const each of bar) {
        await expect.poll(async () => (await each.boundingBox())?.y, PATIENCE).toBeGreaterThan(0)
        expect((await each.boundingBox())?.y).toBeLessThan(PHONE.viewport.height - 60)
      }
      await box.click()
    }
    await page.getByRole('table').getByRole('checkbox').first().click()
    await bar[1]?.click()
    const form = page.getByRole('form', { name: 'You reject' })
    expect((await form.boundingBox())?.y).toBeGreaterThan(0)
    expect((await form.boundingBox())?.y).toBeLessThan(PHONE.viewport.height - 100)
    await form.getByRole('button', { name: 'Cancel' }).click()
    await opened.click()
    await gateRow(page, 'low-2').click()
    await page.getByRole('heading', { name: 'What will be done' }).waitFor()
    await expect.poll(() => top(gateRow(page, 'low-2')), PATIENCE).toBeLessThan(100)
    const [cancelled = '', ...others] = runs
    await Promise.all(others.map((run) => world.answer(run, approver, { decision: 'reject', note: 'seen' })))
    const starter = await visitors.open(world.starter, `/console/runs/${cancelled}`, PHONE)
    await starter.getByRole('button', { name: 'Cancel the run' }).click()
    await starter.getByRole('button', { name: 'Yes, do it' }).click()
    const message = await starter.getByText('The cancellation is sent.').boundingBox()
    expect(message?.y, 'not where the answers are').toBeLessThan(200)
    const admin = await visitors.open(world.people.owner, '/console/admin?part=settings', PHONE)
    const tab = admin.getByRole('main').getByRole('link', { name: 'Settings', exact: true })
    await expect
      .poll(async () => ((await tab.boundingBox())?.x ?? 1e6) < PHONE.viewport.width - 60, PATIENCE)
      .toBe(true)
  })

  test('says who looks at a gate, and what they say, to whoever opens it', async () => {
    const run = await parkPost(world, 'in-two-heads')
    const page = await openQueue(visitors, approver)
    await gateRow(page, 'in-two-heads').click()
    await page.getByRole('button', { name: 'I am looking at it' }).click()
    const remarks = group(page, 'Who is looking at it, and comments')
    await remarks.getByRole('textbox', { name: 'Comment' }).fill('the <b>disk</b> is full, see /var')
    await remarks.getByRole('button', { name: 'Send the comment' }).click()
    await remarks.getByText('the <b>disk</b> is full, see /var').waitFor()
    const other = await openQueue(visitors, world.people.owner)
    await gateRow(other, 'approver@example.test is looking at it').click()
    await group(other, 'Who is looking at it, and comments').getByText('the <b>disk</b> is full').waitFor()
    await world.answer(run, approver, { decision: 'reject' })
  })

  test('retries a failed run from its failed step, and shows what the target said', async () => {
    const run = await world.start('shown/post', { environment: 'plain', inputs: { url: 'http://127.0.0.1:9/' } })
    await world.waits(run)
    const answering = await visitors.open(approver, `/console/runs/${run}`)
    await answering.getByRole('button', { name: 'Approve (a)' }).click()
    await approvalForm(answering).getByText('Then this is done in plain (development).').waitFor()
    await approvalForm(answering).getByRole('button', { name: 'Approve' }).click()
    await group(answering, 'Status').getByText('It failed.').waitFor()
    await answering.getByRole('status').filter({ hasText: 'Approved: POST' }).waitFor()
    await expect.poll(() => answering.getByText('The run goes on').count(), PATIENCE).toBe(0)
    await answering
      .getByRole('img', { name: 'The steps in their order' })
      .getByText('approved by approver@example.test')
      .waitFor()
    expect(await world.statusOf(run)).toBe('failed')
    const page = await visitors.open(world.starter, `/console/runs/${run}`)
    await group(page, 'Status')
      .getByRole('alert')
      .getByText(/^Failed: .*127\.0\.0\.1/)
      .waitFor()
    const other = await visitors.open(approver, `/console/runs/${run}`)
    await other.getByText('An operator, admin or owner of the workspace may retry it.').waitFor()
    expect(await other.getByRole('button', { name: /Retry|Start again/ }).count()).toBe(0)
    await page.getByRole('button', { name: 'Retry from the failed step' }).click()
    await page.getByRole('button', { name: 'Yes, retry' }).click()
    await page.waitForURL((url) => url.pathname.includes('/runs/run_') && !url.pathname.endsWith(run))
    await group(page, 'Needs approval').waitFor()
    const again = new URL(page.url()).pathname.split('/').at(-1) ?? ''
    await openPart(page, 'Record')
    await page.getByRole('region', { name: 'Lineage' }).getByRole('link', { name: run }).waitFor()
    const retry = page.getByRole('button', { name: 'Retry from the failed step' })
    for (const reader of [page, other]) {
      await reader.goto(`${world.service.url}/console/runs/${run}`)
      const retried = reader.getByText('Retried as')
      await retried.getByText('awaiting approval').waitFor()
      await retried.getByRole('link', { name: again }).waitFor()
      expect(await reader.getByRole('button', { name: /Retry|Start again/ }).count()).toBe(0)
      expect(await reader.getByText('may retry it').count()).toBe(0)
    }
    await other.goto(`${world.service.url}/console`)
    const failed = other.getByRole('region', { name: 'Failed in the last 24 hours' })
    await failed.getByText('Retried as').getByRole('link', { name: again }).waitFor()
    await world.answer(again, approver, { decision: 'reject' })
    expect(await world.statusOf(again)).toBe('rejected')
    // nothing was done, so it may be retried once more
    await retry.waitFor()
    await page.getByRole('button', { name: 'Start again' }).waitFor()
    await page.getByText('Retried as').getByText('rejected').waitFor()
  })

  test('shows a halt on every page with who, why and since when, and stops from any page', async () => {
    await newWorkspace('fresh')
    const page = await visitors.open(world.people.owner, '/console/runs')
    await page.getByRole('button', { name: 'Stop…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Stop runs' })
    await dialog.getByText('What it stops: everything').click()
    const places = dialog.getByLabel('Environment')
    expect(await places.getByRole('option').allInnerTexts()).toContain('plain')
    await dialog.getByLabel('Workspace').selectOption('fresh')
    // nothing but its own
    await expect.poll(() => places.getByRole('option').allInnerTexts(), PATIENCE).toEqual(['any'])
    await dialog.getByLabel('Workspace').selectOption('Default')
    await expect.poll(() => places.getByRole('option').allInnerTexts(), PATIENCE).toContain('plain')
    await dialog.getByLabel('Workspace').selectOption('')
    await dialog.getByLabel('Why').fill('wrong hosts restart')
    await dialog.getByRole('button', { name: 'Halt', exact: true }).click()
    await dialog.getByRole('button', { name: 'Yes, stop it' }).click()
    await expect
      .poll(() => banner(page).innerText(), PATIENCE)
      .toMatch(/wrong hosts restart · owner@example\.test · \d+ s ago/)
    await page.setViewportSize({ width: 390, height: 844 })
    const toast = page.getByRole('listitem').filter({ hasText: /^Halted: / })
    await toast.hover()
    const [held, said] = [await banner(page).boundingBox(), await toast.boundingBox()]
    expect(said?.y, 'the message stands below the banner').toBeGreaterThanOrEqual(
      (held?.y ?? 0) + (held?.height ?? 1e6),
    )
    await page.setViewportSize({ width: 1_280, height: 800 })
    const other = await visitors.open(approver, '/console/gates')
    await banner(other).getByText('wrong hosts restart').waitFor()
    await looksSound(other, 'halted')
    const second = { scope: { workspace: 'ws_00000000000000000000000000' }, reason: 'a second one' }
    const { body: more } = await world.service.call<{ id: string }>(
      ...(['POST', '/console/api/halts', second, world.people.owner.headers] as const),
    )
    await banner(other).getByRole('link', { name: 'and 1 more halt' }).click()
    await other.waitForURL(/part=halts/)
    await world.service.call('DELETE', `/console/api/halts/${more.id}`, undefined, world.people.owner.headers)
    await banner(page).getByText('more halt').waitFor({ state: 'detached' })
    await banner(page).getByRole('link', { name: 'Show halts' }).click()
    await page.getByRole('button', { name: 'Lift' }).click()
    await page.getByRole('button', { name: 'Yes, lift it' }).click()
    await banner(other).waitFor({ state: 'detached' })
  })

  test('says at once that there is no network, keeps what is typed, and comes back by itself', async () => {
    const run = await parkPost(world, 'off-line')
    const page = await openQueue(visitors, approver)
    await gateRow(page, 'off-line').click()
    await page.getByRole('button', { name: 'Approve (a)' }).click()
    await approvalForm(page).getByLabel('Note').fill('half a note')
    await page.context().setOffline(true)
    await approvalForm(page).getByRole('button', { name: 'Approve' }).click()
    await approvalForm(page).getByText('No answer came, so it is not known whether it was done.').waitFor()
    const gone = page.getByText(/^No connection\. What you see is as of \d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}\./)
    await gone.waitFor()
    await page.context().setOffline(false)
    await gone.waitFor({ state: 'detached' })
    expect(await approvalForm(page).getByLabel('Note').inputValue()).toBe('half a note')
    await approvalForm(page).getByText('The API answers again, and the gate still waits.').waitFor()
    expect(await approvalForm(page).getByRole('alert').count()).toBe(0)
    await approvalForm(page).getByRole('button', { name: 'Approve' }).click()
    expect(await world.statusOf(run)).toBe('succeeded')
  })

  test('names the workspace in the address, and a link leads there', async () => {
    const second = await newWorkspace('second')
    const page = await visitors.open(world.people.owner, '/console/runs')
    await page.waitForURL(/workspace=ws_0{26}/)
    await page.getByRole('combobox', { name: 'Workspace' }).selectOption(second)
    await page.getByText('Nothing has run in this workspace yet.').waitFor()
    expect(new URL(page.url()).searchParams.get('workspace')).toBe(second)
    await page.getByRole('link', { name: 'Audit' }).click()
    await page.getByRole('heading', { name: 'Audit log' }).waitFor()
    expect(new URL(page.url()).searchParams.get('workspace')).toBe(second)
    const other = await visitors.open(world.people.owner, `/console/runs?workspace=${second}`)
    await other.getByText('Nothing has run in this workspace yet.').waitFor()
    await page.goto(`${world.service.url}/console/runs`)
    await page.getByText('Nothing has run in this workspace yet.').waitFor()
    await page.goBack()
  })

  test('leads from another workspace to the one of a run, and stops the one that is on the screen', async () => {
    const workspaces = ['ws_00000000000000000000000000', await newWorkspace('third')]
    const stranger = await world.people.add('of-two', {
      roles: ['operator', 'approver'],
      workspaces: workspaces.toReversed(),
    })
    const run = await parkPost(world, 'far-away', { reason: 'it is in the first' })
    const page = await visitors.open(stranger, `/console/runs?workspace=${workspaces[1]}`)
    await page.getByText('Nothing has run in this workspace yet.').waitFor()
    await page.goto(`${world.service.url}/console?workspace=${workspaces[1]}`)
    await page.getByText('Nothing waits for your approval in this workspace.').waitFor()
    await page.getByRole('link', { name: /^\d+ approvals? waits? for you in Default$/ }).click()
    await page.getByRole('heading', { name: 'Approvals' }).waitFor()
    expect(new URL(page.url()).searchParams.get('workspace')).toBe(workspaces[0])
    await page.goto(`${world.service.url}/runs/${run}`)
    await page.getByRole('heading', { name: 'it is in the first' }).waitFor()
    expect(new URL(page.url()).searchParams.get('workspace')).toBe(workspaces[0])
    await page.getByRole('button', { name: 'Stop…' }).click()
    await page.getByText('What it stops: workspace Default', { exact: true }).waitFor()
    await page.keyboard.press('Escape')
    await page.goto(`${world.service.url}/console/runs/${run}?workspace=${workspaces[1]}`)
    await page.getByRole('heading', { name: 'it is in the first' }).waitFor()
    const shown = page.getByRole('combobox', { name: 'Workspace' })
    expect(await shown.inputValue(), 'the top of the page names the workspace of the page').toBe(workspaces[0])
    await page.goto(`${world.service.url}/console/runs/run_00000000000000000000000000`)
    await page.getByText('Nothing is found at this address').waitFor()
    await world.answer(run, approver, { decision: 'reject' })
  })
})
