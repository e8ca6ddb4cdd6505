import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { seriousFindings } from '#test/support/console-axe.ts'
import { openPart } from '#test/support/console-browser.ts'
import { looksSound } from '#test/support/console-looks.ts'
import { expectHarmless } from '#test/support/console-visitors.ts'
import { goTo } from '#test/support/go-to.ts'
import { PATIENCE } from '#test/support/patience.ts'
import { needs } from '#test/support/programs/needs.ts'
import { queueConsole } from '#test/support/queue-console.ts'
import { gateRow, parkPost } from '#test/support/queue-page.ts'

const MARKUP = '"><img src=x onerror="window.hit=1"><script>window.hit=1</script>'
const ODD_FILE = `../..\\${MARKUP}\u202egnp.exe`

const { world, visitors, operator, approver, viewer } = queueConsole({
  operator: { roles: ['operator'] },
  approver: { roles: ['approver'] },
  viewer: { roles: ['viewer'] },
})

const palette = (page: Page) => page.getByRole('dialog', { name: 'Search or jump to' })
const options = (page: Page) => palette(page).getByRole('option')
const ofKind = (page: Page, kind: string) => options(page).filter({ has: page.getByText(kind, { exact: true }) })
describe('the craft of the console', needs('chromium'), () => {
  test('what is typed before the palette is loaded is text for it, and no key of the page', async () => {
    const run = await parkPost(world, 'slow-palette')
    const page = await visitors.open(approver, '/console/gates')
    await gateRow(page, /slow-palette/).waitFor()
    let release = () => {}
    const released = new Promise<void>((resolve) => (release = resolve))
    await page.route('**/assets/palette-*.js', async (route) => {
      await released
      await route.continue()
    })
    await page.keyboard.press('j')
    await page.keyboard.press('Control+k')
    await page.keyboard.type('approvals')
    await page.keyboard.press('Enter')
    release()
    const field = palette(page).getByRole('combobox')
    await field.waitFor()
    expect(await field.inputValue()).toBe('approvals')
    await page.keyboard.press('Escape')
    await palette(page).waitFor({ state: 'detached' })
    const { body } = await world.service.call('GET', `/runs/${run}`, undefined, approver.headers)
    expect(body).toMatchObject({ status: 'awaiting_approval' })
    await world.answer(run, approver, { decision: 'reject' })
  })

  test('finds pages, runs and actions by keyboard alone, also out of a field', async () => {
    const run = await parkPost(world, 'palette')
    const page = await visitors.open(operator, '/console/runs')
    await page.getByRole('heading', { name: 'Runs' }).waitFor()
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keys' }).getByText('Ctrl K').waitFor()
    await page.keyboard.press('Escape')

    await page.keyboard.press('/')
    await page.keyboard.press('Control+k')
    const field = palette(page).getByRole('combobox', {
      name: 'A page, a run, a gate, a pipeline, a person, an action',
    })
    await field.waitFor()
    expect(await field.evaluate('document.activeElement.getAttribute("role")')).toBe('combobox')
    const marked = async () => {
      const id = await field.getAttribute('aria-activedescendant')
      return await page.locator(`[id="${id}"][aria-selected="true"]`).innerText()
    }
    expect(await marked()).toContain('Home')
    expect(await seriousFindings(page)).toEqual([])
    await page.keyboard.press('ArrowUp')
    expect(await marked(), 'it goes round').toContain('Dark theme')
    await page.keyboard.press('Enter')
    expect(await page.evaluate('document.documentElement.dataset.theme')).toBe('dark')
    await page.getByRole('button', { name: /^Account of / }).click()
    expect(await page.getByRole('menuitemradio', { name: 'Dark' }).getAttribute('aria-checked')).toBe('true')
    await page.keyboard.press('Escape')

    await page.keyboard.press('Control+k')
    await page.keyboard.type('audi')
    await expect.poll(marked).toContain('Audit')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Audit log' }).waitFor()

    await page.keyboard.press('Meta+k')
    await page.keyboard.type(run)
    await expect.poll(() => options(page).count()).toBe(1)
    await expect.poll(marked).toContain('shown/post · awaiting approval')
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/console/runs/${run}`)

    await page.keyboard.press('Control+k')
    await page.keyboard.type('shown/post')
    await options(page).filter({ hasText: run }).waitFor()
    await page.keyboard.press('Control+a')
    await page.keyboard.type(`run_${'9'.repeat(26)}`)
    await palette(page).getByText('Nothing matches.').waitFor()
    await page.keyboard.press('Escape')
    await palette(page).waitFor({ state: 'detached' })
    await goTo(page, 'g', 'Approvals')
    await world.answer(run, approver, { decision: 'reject' })
  })

  test('finds open gates, pipelines and people, these only for who may list them', async () => {
    const run = await parkPost(world, 'by-the-palette', { reason: 'the palette finds gates' })
    for (const [who, people] of [
      [approver, 0],
      [world.people.owner, 1],
    ] as const) {
      const page = await visitors.open(who, '/console')
      await page.getByRole('button', { name: 'Search or jump to…' }).click()
      const field = palette(page).getByRole('combobox')
      const asked = page.waitForResponse(/\/approvals\?.*q=viewer/)
      await field.fill('viewer@example')
      await asked
      await expect.poll(() => palette(page).getByText('Searching…').count()).toBe(0)
      await expect.poll(() => ofKind(page, 'Person').count()).toBe(people)
      await field.fill('palette finds')
      await ofKind(page, 'Gate').waitFor()
      await ofKind(page, 'Gate').click()
      await page.waitForURL(/\/console\/gates\?.*gate=gate_/)
      await page.getByRole('heading', { name: 'Identifiers' }).waitFor()
      await page.getByRole('button', { name: 'Search or jump to…' }).click()
      await field.fill(world.starter.email)
      await ofKind(page, 'Gate').filter({ hasText: 'the palette finds gates' }).waitFor()
      await page.keyboard.press('Escape')
    }
    await world.answer(run, approver, { decision: 'reject' })
  })

  test('finds the way out and the lift of a halt by their common words, and no users where there is no such page', async () => {
    const leaver = await world.people.add('leaver', { roles: ['approver'] })
    const page = await visitors.open(leaver, '/console/policies')
    const open = page.getByRole('button', { name: 'Search or jump to…' })
    await open.click()
    const field = palette(page).getByRole('combobox')
    await field.fill('user')
    await options(page).filter({ hasText: 'You: absence' }).waitFor()
    expect((await options(page).allInnerTexts()).filter((name) => name.startsWith('Admin'))).toEqual([])
    await field.fill('lift')
    await expect.poll(() => options(page).allInnerTexts()).toEqual([expect.stringContaining('Admin: Halts')])
    for (const typed of ['sign out', 'log out']) {
      await field.fill(typed)
      await options(page).filter({ hasText: 'Sign out everywhere' }).waitFor()
    }
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Sign in' }).waitFor()

    const admin = await visitors.open(world.people.owner, '/console/policies')
    await admin.getByRole('button', { name: 'Search or jump to…' }).click()
    await palette(admin).getByRole('combobox').fill('lift')
    await options(admin).filter({ hasText: 'Lift a halt' }).click()
    await admin.waitForURL(/\/console\/admin\?.*part=halts/)
  })

  test('offers in the palette what this person may do, and leads there', async () => {
    for (const [who, mine, admin] of [
      [viewer, 0, 0],
      [approver, 1, 0],
      [operator, 1, 0],
      [world.people.owner, 1, 1],
    ] as const) {
      const page = await visitors.open(who, '/console/gates')
      await page.getByRole('heading', { name: 'Approvals' }).waitFor()
      await page.getByRole('button', { name: 'Search or jump to…' }).click()
      await options(page).first().waitFor()
      const names = await options(page).allInnerTexts()
      const count = (text: string) => names.filter((name) => name.startsWith(text)).length
      expect([count('Approvals that wait for me'), count('Write a policy'), count('Make an API key')]).toEqual([
        mine,
        admin,
        admin,
      ])
      if (admin === 0) continue
      await looksSound(page, 'palette')
      await page.keyboard.type('write rule')
      await page.keyboard.press('Enter')
      await page.getByRole('textbox', { name: 'YAML of the new rule' }).waitFor()
      await page.keyboard.press('Control+k')
      await page.keyboard.type('wait for me')
      await page.keyboard.press('Enter')
      await page.waitForURL('**/console/gates?awaiting_me=true')
    }
  })

  test('dismisses one gate in its place, for those who may, and only the one that was looked at', async () => {
    const id = await parkPost(world, 'left-over')
    const other = await visitors.open(approver, '/console/gates')
    await gateRow(other, 'left-over').click()
    await other.getByRole('heading', { name: 'Identifiers' }).waitFor()
    expect(await other.getByRole('button', { name: /^Dismiss/ }).count()).toBe(0)

    const page = await visitors.open(operator, '/console/gates')
    await gateRow(page, 'left-over').click()
    await page.getByRole('button', { name: 'Dismiss this gate…' }).click()
    await page.getByLabel('Reason').fill('typed and left')
    await page.keyboard.press('Escape')
    await page.getByLabel('Reason').waitFor({ state: 'detached' })
    await page.getByRole('heading', { name: 'Identifiers' }).waitFor()
    await page.getByRole('button', { name: 'Dismiss this gate…' }).click()
    await page.getByLabel('Reason').fill(MARKUP)
    const [sent] = await Promise.all([
      page.waitForRequest('**/expire'),
      page.getByRole('button', { name: 'Yes, do it' }).click(),
    ])
    expect(sent.postDataJSON()).toEqual({ reason: MARKUP, gate_id: expect.stringMatching(/^gate_/) })
    await page.getByRole('status').filter({ hasText: 'Dismissed: POST' }).waitFor()
    await gateRow(page, 'left-over').waitFor({ state: 'detached' })
    await other.getByText('It was closed without an answer').waitFor()
    expect(await world.statusOf(id)).toBe('expired')
    expect(world.target.requests.filter(({ url }) => url === '/left-over')).toEqual([])
    await expectHarmless(other)
  })

  test('shows steps, templates and files as text, no matter what they are called, and the way of a run', async () => {
    const id = await world.start('shown/odd', { environment: 'plain', inputs: { url: `${world.target.url}/odd` } })
    await world.waits(id)
    await world.service.database.db`
      insert into artifacts (id, run_id, workspace_id, step_id, name, media_type, size_bytes, digest)
      select id || 'x', run_id, workspace_id, step_id, ${ODD_FILE}, 'text/html', size_bytes, digest from artifacts where run_id = ${id}`
    const page = await visitors.open(operator, `/console/runs/${id}`)
    const way = page.getByRole('img', { name: 'The steps in their order' })
    await expect.poll(() => way.innerText()).toMatch(/\sasks\s/)
    expect(await way.innerText()).toMatch(
      /<script>window\.hit=1<\/script>[\s\S]*\(succeeded\)[\s\S]*W{90}[\s\S]*\(awaiting approval\)/,
    )
    await looksSound(page)
    await openPart(page, 'Record')
    await page.getByText('Verified in this browser').waitFor()
    await looksSound(page)
    await openPart(page, 'Artifacts')
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: /^Download .*<script>.*u\{202e\}gnp\.exe$/ }).click(),
    ])
    expect(file.suggestedFilename()).not.toMatch(/[\\/<>"\u202e]/)
    expect(await page.locator('main').locator('img, script, iframe').count()).toBe(0)
    await looksSound(page)
    for (const address of ['/console/gates', '/console/start', '/console/start/shown/odd', '/console/runs']) {
      await page.goto(`${world.service.url}${address}`)
      await page.locator('main h1').first().waitFor()
      await expect.poll(() => page.getByText('Loading…', { exact: true }).count(), PATIENCE).toBe(0)
      await looksSound(page)
    }
    await world.answer(id, approver, { decision: 'approve' })
    await page.goto(`${world.service.url}/console/runs/${id}`)
    await expect.poll(() => way.innerText()).toMatch(/\sapproved by /)
    expect(await world.statusOf(id)).toBe('succeeded')
  })

  test('uses a wide screen, dark and light, and says there what it says elsewhere', async () => {
    const id = await parkPost(world, 'wide')
    for (const colorScheme of ['dark', 'light'] as const) {
      const page = await visitors.open(operator, `/console/runs/${id}`, {
        viewport: { width: 2_560, height: 1_440 },
        colorScheme,
      })
      await page.getByRole('img', { name: 'The steps in their order' }).waitFor()
      expect(await seriousFindings(page)).toEqual([])
      await openPart(page, 'Record')
      await page.getByText('Verified in this browser').waitFor()
      expect(await seriousFindings(page)).toEqual([])
      await expectHarmless(page)
      for (const address of [
        '/console/gates',
        '/console/runs',
        '/console/audit',
        '/console/policies',
        '/console/admin',
      ]) {
        await page.goto(`${world.service.url}${address}`)
        await page.locator('main h1').first().waitFor()
        await expect.poll(() => page.getByText('Loading…', { exact: true }).count(), PATIENCE).toBe(0)
        expect(await seriousFindings(page)).toEqual([])
        await expectHarmless(page)
      }
    }
    await world.answer(id, approver, { decision: 'reject' })
  })

  test('prints the record of a run in black on white, also in the dark', async () => {
    const id = await parkPost(world, 'printed')
    const page = await visitors.open(operator, `/console/runs/${id}`, { colorScheme: 'dark' })
    await page.getByRole('link', { name: /^Record [1-9]/ }).waitFor()
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
    const colours = () =>
      page.evaluate<string[]>(
        '[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]',
      )
    await expect.poll(colours).toEqual(['rgb(255, 255, 255)', 'rgb(28, 32, 36)'])
    expect(await page.getByText('Verified in this browser').isVisible()).toBe(true)
    expect(await page.getByRole('button', { name: /^Account of / }).count()).toBe(0)
    await world.answer(id, approver, { decision: 'reject' })
  })
})
