import { readFile } from 'node:fs/promises'
import type { Locator, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest'
import { seriousFindings } from '#test/support/console-axe.ts'
import { openPart, type WatchedPage } from '#test/support/console-browser.ts'
import { goTo } from '#test/support/go-to.ts'
import { writeManyRuns } from '#test/support/many-runs.ts'
import { PATIENCE } from '#test/support/patience.ts'
import { startPrefixProxy } from '#test/support/prefix-proxy.ts'
import { needs } from '#test/support/programs/needs.ts'
import { HOSTILE, openRecordWorld, type RecordWorld } from '#test/support/record-world.ts'
import { framesWhileScrolling } from '#test/support/scroll-frames.ts'

const EVENTS = 5_000
const RUNS = 400
/** far more than a screen shows, and far less than there are */
const MAX_ROWS = 120
// of some 10, and of 16.7 that a frame has at 60 a second
const MAX_CPU_MS_A_FRAME = 25

let world: RecordWorld
let watched: WatchedPage

async function open(...given: Parameters<RecordWorld['open']>): Promise<Page> {
  watched = await world.open(...given)
  return watched.page
}
const table = (page: Page, name: string) => page.getByRole('table', { name })
const rowsOf = (page: Page, name: string) => table(page, name).locator('tbody tr[aria-rowindex]').count()
const picture = async (page: Page, name: string) => {
  if (process.env['UPDATE_SCREENSHOTS'] === '1')
    await page.screenshot({ path: `docs/images/console-${name}.png`, scale: 'css', clip: await clipOf(page) })
}
/** Of what is seen, no more than a page of the docs can use. */
async function clipOf(page: Page) {
  const { width = 0, height = 0 } = page.viewportSize() ?? {}
  return { x: 0, y: 0, width, height: width < 500 ? height : Math.min(height, 680) }
}
const scroll = (box: Locator, to: number) =>
  box.evaluate((frame: { scrollTop: number }, top) => {
    frame.scrollTop = top
  }, to)
const isWithin = (page: Page) => page.evaluate('document.documentElement.scrollWidth <= window.innerWidth')

describe('one run, the record and long lists in the console', needs('chromium'), () => {
  beforeAll(async () => {
    world = await openRecordWorld({
      postgres_url: inject('postgres_url'),
      temporal_address: inject('temporal_address'),
    })
  })
  afterAll(() => world?.close())
  afterEach(async () => {
    expect(await watched.page.evaluate('window.broken')).toBeUndefined()
    await watched.page.context().close()
    expect(watched.faults).toEqual([])
  })

  test('shows a run from its alert to its report, and the hostile words of others as words', async () => {
    const run = await world.alertRun(`checkout ${HOSTILE.markup} ${HOSTILE.picture}`)
    const page = await open(`/console/runs/${run}`, 'viewer')
    const state = page.getByRole('region', { name: 'Status', exact: true })
    await state.getByText('It waits for an approval.').waitFor()
    const gate = page.getByRole('region', { name: 'Needs approval' })
    await gate.getByText('POST http').first().waitFor()
    await gate.getByText('1 more approval').waitFor()
    expect(await gate.getByRole('button', { name: /^(Approve|Reject|Dismiss)/ }).count(), 'a viewer may not').toBe(0)
    expect(await page.getByRole('button', { name: 'Cancel the run' }).count(), 'a viewer may not').toBe(0)
    await openPart(page, 'Context')
    const trigger = page.getByRole('region', { name: 'What started it' })
    await trigger.getByText(HOSTILE.markup, { exact: false }).first().waitFor()
    await trigger.getByText('1 other alert is attached to the run.').waitFor()
    await trigger.getByText('Delivery', { exact: true }).waitFor()
    await trigger.getByText('Digest of the fingerprint', { exact: true }).waitFor()
    expect(await trigger.getByRole('link').count(), 'no address that runs').toBe(0)
    expect(await isWithin(page)).toBe(true)

    await openPart(page, 'Summary')
    await page.getByRole('button', { name: 'Details of Ask for its health' }).click()
    await page.getByText('"status": 503').waitFor()

    await world.approve(run, HOSTILE.markup)
    await state.getByText('It succeeded.').waitFor()
    await page.getByRole('button', { name: 'Details of Restart or roll back' }).click()
    await page
      .getByText(/^usr_\w+: approve/)
      .first()
      .waitFor()
    await page.getByText(HOSTILE.markup, { exact: true }).first().waitFor()
    await openPart(page, 'Artifacts')
    const report = page.getByRole('region', { name: 'Report' })
    await report.getByRole('cell', { name: 'Address' }).waitFor()
    await report.getByText('[image: pixel, http://pixel.example.test/a.png]').first().waitFor()
    expect(await report.locator('img, script').count()).toBe(0)
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download report.md' }).click(),
    ])
    expect(file.suggestedFilename()).toBe('report.md')
    expect(await readFile(await file.path(), 'utf8')).toContain('# Recovery of checkout')
    await openPart(page, 'Record')
    await page.getByText('What was approved is what ran.').waitFor()
  })

  test('verifies the record of a run from the records, and says what that proves', async () => {
    const run = await world.manualRun('a look at the record')
    await world.approve(run, 'go on')
    const page = await open(`/console/runs/${run}#record`, 'viewer')
    const record = page.getByRole('region', { name: 'On record' })
    await record.getByText('run.succeeded').waitFor()
    await record.getByText('Verified in this browser').waitFor()
    await record.getByText('What this cannot show').waitFor()
    await record.getByText(/Of the chain, this proves the content of \d+/).waitFor()
    await page.evaluate("document.getElementById('record').scrollIntoView()")
    await picture(page, 'record')
    expect(await seriousFindings(page)).toEqual([])
    await record
      .getByRole('button', { name: /^Record \d+$/ })
      .first()
      .click()
    await page.getByText('Its hash matches its content: computed in this browser.').waitFor()
    await page.getByText('"action": "run.admitted"').waitFor()

    const all = await rowsOf(page, 'Records of this run')
    await page.emulateMedia({ media: 'print' })
    await expect.poll(() => page.getByRole('navigation').count()).toBe(0)
    expect(await rowsOf(page, 'Records of this run')).toBeGreaterThanOrEqual(all)
    expect(await page.getByText('Verified in this browser').isVisible()).toBe(true)
    expect(await page.getByRole('region', { name: 'Events', exact: true }).count()).toBe(0)
    expect(await page.getByRole('region', { name: 'Steps' }).isVisible(), 'the other parts are printed as well').toBe(
      true,
    )
  })

  test('shows in red which record a proxy has changed by one byte', async () => {
    const run = await world.manualRun('approved by nobody')
    let changed = 0
    const proxy = await startPrefixProxy(world.service.url, '/between', (path, body) => {
      if (!path.startsWith('/console/api/audit?')) return body
      const at = body.indexOf('approved by nobody') >= 0 ? body.indexOf('"gate.opened"') : -1
      const place = at < 0 ? body.indexOf('"action":"gate.opened"') + 10 : at
      changed = Number(
        /"seq":(\d+),"hash":"[0-9a-f]+","prev_hash":"[0-9a-f]+","event":\{[^}]*$/.exec(body.slice(0, place))?.[1],
      )
      return `${body.slice(0, place + 1)}G${body.slice(place + 2)}`
    })
    try {
      const page = await open(`/console/runs/${run}?part=record`, 'viewer', { base: proxy.url })
      const record = page.getByRole('region', { name: 'On record' })
      await record.getByRole('alert').getByText('These records are not what was hashed').waitFor()
      expect(changed).toBeGreaterThan(0)
      await record.getByText(`Record ${changed}: its hash does not match its content.`).waitFor()
      expect(await record.getByText('hash does not match its content').count(), 'this one alone').toBe(1)
      expect(await record.getByText('WRONG').count()).toBe(1)
      expect(await record.getByText('Verified in this browser').count()).toBe(0)
      await page.goto('about:blank')
    } finally {
      await proxy.stop()
    }
  })

  test('cancels a run and dismisses a gate for those who may, with their reason on record', async () => {
    const [one, other] = [await world.manualRun('one'), await world.manualRun('other')]
    const page = await open(`/console/runs/${one}`, 'operator')
    await page.getByText('1 more approval').waitFor()
    await page.getByRole('link', { name: /^Record [1-9]/ }).waitFor()
    await picture(page, 'run')
    await page.getByRole('button', { name: 'Cancel the run' }).click()
    await page.getByLabel('Reason').fill(HOSTILE.markup)
    await page.getByRole('button', { name: 'Yes, do it' }).click()
    await page.getByText('It was cancelled.').waitFor()
    expect(await page.getByRole('button', { name: 'Cancel the run' }).count()).toBe(0)

    await page.goto(`${world.service.url}/console/runs/${other}`)
    await page.getByRole('button', { name: 'Dismiss this gate…' }).click()
    await page.getByLabel('Reason').fill('nobody needs it')
    await page.keyboard.press('Enter')
    await page.getByText('Its gate was closed without an answer').waitFor()
    await openPart(page, 'Record')
    await page
      .getByRole('button', { name: /^Record/ })
      .last()
      .scrollIntoViewIfNeeded()
    await expect
      .poll(async () => {
        const { body } = await world.service.call<{ event: { channel?: string; action: string } }[]>(
          'GET',
          `/console/api/audit?run_id=${other}&category=expiry`,
          undefined,
          world.viewer.headers,
        )
        return body.map(({ event }) => [event.action, event.channel])
      })
      .toEqual([['gate.expired', 'console']])
  })

  test('stays smooth with five thousand events, and goes on with those that come', async () => {
    const run = await world.manualRun('a talkative one')
    await world.writeEvents(run, EVENTS, (n) => (n % 100 === 0 ? `${n} ${HOSTILE.long}` : `line ${n}`))
    const page = await open(`/console/runs/${run}?part=events`, 'viewer')
    const events = page.getByRole('region', { name: 'Events', exact: true })
    await events.getByText(/^50\d\d events$/).waitFor()
    await events.getByText('following').waitFor()
    await events.getByText(`line ${EVENTS - 1}`, { exact: true }).waitFor()
    expect(await rowsOf(page, 'Events, oldest first')).toBeLessThan(MAX_ROWS)
    await world.writeEvents(run, 1, () => 'the newest of all')
    await events.getByText('the newest of all').waitFor()

    const frames = await framesWhileScrolling(page, 'Events, oldest first')
    expect(frames.rows, 'rows that are drawn at most').toBeLessThan(MAX_ROWS)
    expect(frames.scrolled).toBeGreaterThan(EVENTS * 10)
    expect(frames.cpu_ms).toBeLessThan(MAX_CPU_MS_A_FRAME)
    process.stderr.write(`frames while scrolling ${EVENTS} events: ${JSON.stringify(frames)}\n`)

    await events.getByLabel('Show').selectOption('gate.opened')
    await events.getByRole('button', { name: /gate\.opened$/ }).click()
    await page.getByRole('region', { name: 'Event', exact: true }).getByText('"gate_id"').waitFor()
    expect(await isWithin(page)).toBe(true)
  })

  test('loads further runs as it is scrolled, by keyboard as well, and shows new ones by itself', async () => {
    await writeManyRuns(world.service.database.owner_url, { to: RUNS })
    const page = await open('/console/runs', 'operator')
    await table(page, 'Runs').getByRole('link').first().waitFor()
    expect(await rowsOf(page, 'Runs')).toBeLessThan(MAX_ROWS)
    const run = await world.manualRun('appears by itself')
    await table(page, 'Runs').locator(`a[href$="${run}"]`).waitFor()
    await picture(page, 'runs')
    expect(await seriousFindings(page)).toEqual([])

    const last = `run_${'0'.repeat(25)}1`
    const box = page.getByRole('region', { name: 'Runs', exact: true })
    const downward = async () => {
      await scroll(box, 1_000_000)
      return table(page, 'Runs').locator(`a[href$="${last}"]`).count()
    }
    await expect.poll(downward, PATIENCE).toBe(1)
    expect(await rowsOf(page, 'Runs')).toBeLessThan(MAX_ROWS)

    await scroll(box, 0)
    await table(page, 'Runs').locator(`a[href$="${run}"]`).waitFor()
    for (const key of ['j', 'j', 'k', 'Enter']) await page.keyboard.press(key)
    await page.waitForURL(`**/console/runs/${run}`)
    await page.getByText('appears by itself').first().waitFor()
  })

  test('finds records of the log by its filters, opens them, and hands them out as CSV', async () => {
    await world.writeRecords(250, 'usr_writer')
    const page = await open('/console/runs', 'viewer')
    await page.getByRole('heading', { name: 'Runs' }).waitFor()
    await goTo(page, 'a', 'Audit log')
    await page.getByText(/The chain ends with record \d+/).waitFor()
    await page.getByLabel('Search by person: name, mail or id').fill('usr_writer')
    await page.keyboard.press('Enter')
    await page.getByText('250 records').waitFor()
    expect(new URL(page.url()).search).toBe('?actor=usr_writer')
    await picture(page, 'audit')
    expect(await seriousFindings(page)).toEqual([])
    const box = page.getByRole('region', { name: 'Audit log', exact: true })
    const downward = async () => {
      await scroll(box, 1_000_000)
      return page.getByRole('cell', { name: '=usr_0', exact: true }).count()
    }
    await expect.poll(downward, PATIENCE).toBe(1)
    expect(await rowsOf(page, 'Audit log')).toBeLessThan(MAX_ROWS)
    // the search keeps the focus, for the next letter
    await box.focus()
    for (const key of ['j', 'Enter']) await page.keyboard.press(key)
    const record = page.getByRole('region', { name: /^Record \d+$/ })
    await record.getByText('Its hash matches its content: computed in this browser.').waitFor()
    await record.getByText('"n": 249').waitFor()
    const { y = 1e6 } = (await record.boundingBox()) ?? {}
    expect(y >= 0 && y < (page.viewportSize()?.height ?? 0) - 150, 'it is brought into view').toBe(true)

    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download as CSV' }).click(),
    ])
    const lines = (await readFile(await file.path(), 'utf8')).trimEnd().split('\r\n')
    expect(lines).toHaveLength(251)
    expect(lines[1]).toContain('user =usr_249')

    await page.getByRole('button', { name: /^Filters/ }).click()
    await page.getByLabel('Category').selectOption('sink')
    await page.getByText('No record matches.').waitFor()
    await page.getByRole('button', { name: 'Clear filters' }).click()

    const zoe = await world.people.add('zoe', { roles: ['operator', 'approver'], display_name: 'Zoë Finder' })
    const reason = `wrong hosts restart ${'again and '.repeat(30)}again`
    const scope = { workspace: 'ws_00000000000000000000000000', environment: 'development' }
    const halted = await world.service.call<{ id: string }>(
      ...(['POST', '/console/api/halts', { scope, reason }, zoe.headers] as const),
    )
    await world.service.call('DELETE', `/console/api/halts/${halted.body.id}`, undefined, world.people.owner.headers)
    const recorded = () =>
      world.service.call<{ event: { action: string } }[]>('GET', '/console/api/audit', undefined, zoe.headers)
    await expect
      .poll(async () => (await recorded()).body.map(({ event }) => event.action), PATIENCE)
      .toContain('halt.set')
    await page.getByLabel('Search by person: name, mail or id').fill('oë find')
    const row = page.getByRole('row').filter({ hasText: 'Halt set' })
    await row.getByText('Zoë Finder').waitFor()
    await row.getByText('halt.set', { exact: true }).waitFor()
    await row.getByText('environment development in this workspace').waitFor()
    await row.getByRole('button', { name: /^Record/ }).click()
    await record.getByText(reason, { exact: true }).waitFor()
    await record.getByText(`halt ${halted.body.id}`).waitFor()
    await page.goto(`${world.service.url}/console/audit?category=nonsense`)
    expect(await page.getByRole('alert').textContent()).toContain('category')
  })

  test('is decided on a phone within two screens, with the answer in view from the first on', async () => {
    const run = await world.alertRun('a phone at night')
    const page = await open(`/console/runs/${run}`, 'approver', { phone: true })
    const { width, height } = { width: 390, height: 844 }
    await page.setViewportSize({ width, height })
    const gate = page.getByRole('region', { name: 'Needs approval' })
    await gate.getByText('Read all of it').first().waitFor()
    const boxOf = async (found: Locator) => (await found.boundingBox()) ?? { y: 1e6, height: 1e6 }
    const isInView = async (name: string) => {
      const box = await boxOf(gate.getByRole('button', { name, exact: true }))
      return box.y > 0 && box.y + box.height < height
    }
    expect([await isInView('Approve'), await isInView('Reject')]).toEqual([true, true])
    expect((await boxOf(gate)).height).toBeLessThan(2 * height)
    const titles = await gate.getByRole('heading', { level: 3 }).allInnerTexts()
    const order = ['What will be done', 'Evidence', 'Exact command', 'Why a person is asked', 'What it touches']
    expect(titles.slice(0, order.length)).toEqual(order)
    expect(await gate.getByText('curl -X POST').count(), 'the command is folded').toBe(0)
    expect(await page.getByRole('list', { name: 'Steps' }).count(), 'what is read later is closed').toBe(0)
    expect(await gate.getByText('Plan hash').count()).toBe(0)
    await gate.getByRole('heading', { name: 'Identifiers' }).click()
    await gate.getByText('Plan hash').waitFor()
    expect(await isInView('Approve'), 'wherever one reads').toBe(true)
    expect(await isWithin(page)).toBe(true)
    expect(await seriousFindings(page)).toEqual([])
    await page.goto(`${world.service.url}/console/runs/${await world.manualRun('checkout answers 503')}`)
    await gate.getByText('Read all of it').first().waitFor()
    const [found, answer] = [
      gate.getByText('status: 503').first(),
      gate.getByRole('button', { name: 'Approve', exact: true }),
    ]
    const first_lines = 40
    expect((await boxOf(found)).y + first_lines, 'what the target said').toBeLessThan((await boxOf(answer)).y)
    const reason = gate.getByText('checkout answers 503', { exact: true })
    expect((await boxOf(reason)).y, 'the reason given').toBeLessThan((await boxOf(found)).y)
    await picture(page, 'gate-phone')
  })

  test('is drawn in one go: what somebody is about to press does not move away', async () => {
    const run = await world.alertRun('a page that stays')
    for (const phone of [true, false]) {
      const page = await open('/console', 'approver', { phone })
      await page.getByRole('button', { name: /^Account of / }).waitFor()
      await page.addInitScript(`window.moved = 0
        const add = (list) => list.getEntries().forEach(({ value }) => { window.moved += value })
        new PerformanceObserver(add).observe({ type: 'layout-shift', buffered: true })`)
      for (const [path, last] of [
        [`/console/runs/${run}`, page.getByText('Read all of it').first()],
        ['/console/policies', table(page, 'Policies')],
        ['/console/audit', table(page, 'Audit log')],
      ] as const) {
        await page.goto(`${world.service.url}${path}`)
        await last.waitFor()
        expect(await page.evaluate('window.moved'), `${path}, layout shift; 0.1 is good`).toBeLessThan(0.05)
      }
      if (phone) await watched.page.context().close()
    }
  })

  test('can be read by everybody, on a phone and in the dark', async () => {
    const run = await world.alertRun('a phone')
    for (const dark of [false, true]) {
      const page = await open(`/console/runs/${run}`, 'operator', { phone: true, dark })
      const looks = async () => {
        expect(await seriousFindings(page)).toEqual([])
        expect(await isWithin(page)).toBe(true)
      }
      await page.getByRole('heading', { name: 'Steps', exact: true }).click()
      await page.getByRole('button', { name: 'Details of Ask for its health' }).click()
      await page.getByText('"status": 503').waitFor()
      await looks()
      await openPart(page, 'Record')
      await page.getByText('Verified in this browser').waitFor()
      await page.getByRole('heading', { name: 'Lineage', exact: true }).waitFor()
      await looks()
      await openPart(page, 'Events')
      expect(new URL(page.url()).searchParams.get('part')).toBe('events')
      await page.getByRole('button', { name: /^Event \d+, gate\.opened$/ }).click()
      await looks()
      await page.goBack()
      await page.getByText('Verified in this browser').waitFor()
      await openPart(page, 'Summary')
      await page.evaluate('window.scrollTo(0, 0)')
      if (dark) await picture(page, 'run-phone')
      for (const [path, heading] of [
        ['/console/runs', 'Runs'],
        ['/console/audit', 'Audit log'],
      ]) {
        await page.goto(`${world.service.url}${path}`)
        await page.getByRole('table', { name: heading ?? '' }).waitFor()
        const [all, last] = await Promise.all([
          table(page, heading ?? '').boundingBox(),
          table(page, heading ?? '')
            .getByRole('columnheader')
            .last()
            .boundingBox(),
        ])
        expect((all?.x ?? 0) + (all?.width ?? 0), 'what a phone leaves out takes no room').toBeCloseTo(
          (last?.x ?? 0) + (last?.width ?? 0),
          0,
        )
        expect(await seriousFindings(page)).toEqual([])
        expect(await isWithin(page)).toBe(true)
      }
      expect(await page.getByRole('columnheader').allInnerTexts()).toEqual(['What', 'Record'])
      const hash = page.getByText(/^[0-9a-f]{64}$/)
      expect(await hash.count(), 'the hash is folded').toBe(0)
      await page.getByText(/^The chain ends with record \d+$/).click()
      await hash.waitFor()
      if (!dark) await watched.page.context().close()
    }
  })

  test('says that nothing is verified where the browser computes no hashes', async () => {
    const run = await world.manualRun('not verified')
    const page = await open(`/console/runs/${run}?part=record`, 'viewer')
    await page.getByText('Verified in this browser').waitFor()
    await page.addInitScript("Object.defineProperty(crypto, 'subtle', { value: undefined })")
    await page.reload()
    await page.getByText('Not verified: this browser computes hashes only').waitFor()
    expect(await page.getByText('Verified in this browser').count()).toBe(0)
    expect(await page.getByText('not computed').count()).toBeGreaterThan(0)
    expect(await page.getByText('verified', { exact: true }).count()).toBe(0)
  })

  test('says so where there is no such run', async () => {
    const page = await open(`/console/runs/run_${'9'.repeat(26)}`, 'viewer')
    await page.getByText('Nothing is found at this address').waitFor()
  })
})
