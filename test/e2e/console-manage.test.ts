import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest'
import { seriousFindings } from '#test/support/console-axe.ts'
import { expectHarmless, openVisitors, type Visitors } from '#test/support/console-visitors.ts'
import { AUTH_ENV, createIdentities, type Identities, type Member } from '#test/support/identity.ts'
import { needs } from '#test/support/programs/needs.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

const PICTURES = process.env['UPDATE_SCREENSHOTS'] === '1'
const HOSTILE = '"><img src=x onerror="window.hit=1"></pre><script>window.hit=1</script>'
const GUARD = `name: guard
applies_to: { environments: [development] }
rules:
  - { effect: require_hitl, approval_role: dba, reason: '${HOSTILE}' }
`
const MINE = `name: mine
applies_to: { environments: [development] }
rules:
  - { effect: deny, reason: closed for now }
`

let service: TestService
let visitors: Visitors
let people: Identities
let owner: Member
let viewer: Member

const yaml = () => ({ ...owner.headers, 'content-type': 'text/yaml' })
const editor = (page: Page, name: RegExp | string) => page.getByRole('textbox', { name })

/** Puts a text in the place of what the editor holds, as somebody who pastes it. */
async function write(page: Page, name: RegExp | string, text: string): Promise<void> {
  await editor(page, name).click()
  await page.keyboard.press('Control+a')
  await page.keyboard.insertText(text)
}

/** A page as it looks, wide and light or narrow and dark, free of serious findings and no wider than its screen. */
async function looksSound(page: Page, picture: string): Promise<void> {
  await page.emulateMedia({ colorScheme: 'light' })
  await page.setViewportSize({ width: 1280, height: 900 })
  expect(await seriousFindings(page)).toEqual([])
  await expectHarmless(page)
  if (PICTURES) await page.screenshot({ path: `docs/images/console-${picture}.png` })
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.setViewportSize({ width: 375, height: 800 })
  expect(await seriousFindings(page)).toEqual([])
  await expectHarmless(page)
  if (PICTURES) await page.screenshot({ path: `docs/images/console-${picture}-small.png` })
  await page.setViewportSize({ width: 1280, height: 900 })
}

describe('managing in the console', needs('chromium'), () => {
  beforeAll(async () => {
    service = await startTestService({
      postgres_url: inject('postgres_url'),
      temporal_address: inject('temporal_address'),
      env: { ...AUTH_ENV, OBS_TRIGGER_DURABLE: '1' },
      workers: 0,
      files: { 'policies/guard.yaml': GUARD },
    })
    people = await createIdentities(service)
    owner = people.owner
    viewer = await people.add('viewer', { roles: ['viewer'] })
    const inputs = { url: 'http://127.0.0.1:9/' }
    for (let count = 0; count < 3; count++)
      await service.call('POST', '/packs/sre/service-recovery/run', { inputs }, owner.headers)
    visitors = await openVisitors(service)
  })
  afterAll(async () => {
    await visitors?.close()
    await service?.stop()
  })
  afterEach(async () => expect(await visitors.leave()).toEqual([]))

  test('says of every policy where it counts and who wins, and of every step what would happen to it', async () => {
    const page = await visitors.open(viewer, '/console/runs')
    await page.keyboard.press('g')
    await page.keyboard.press('p')
    const list = page.getByRole('table', { name: 'Policies' })
    const guard = list.getByRole('row').filter({ has: page.getByRole('link', { name: 'guard', exact: true }) })
    expect(await guard.innerText()).toContain(`asks a person by the role dba ${HOSTILE}`)
    expect(await guard.innerText()).toContain('guard.yaml')
    const steps = page.getByRole('table', { name: 'What would happen to each step' })
    await page.getByLabel('Template').selectOption('sre/service-recovery')
    const answer = await service.call<{ steps: { step: string; outcome: string }[] }>(
      'POST',
      '/console/api/policies/simulate',
      { environment: 'development', template: 'sre/service-recovery' },
      viewer.headers,
    )
    const words: Record<string, string> = { gate: 'waits for a person', auto: 'runs by itself', deny: 'is refused' }
    const place = (await steps.getByRole('columnheader').allInnerTexts()).indexOf('development')
    for (const { step, outcome } of answer.body.steps) {
      const row = steps.getByRole('row').filter({ hasText: step }).first()
      expect(await row.getByRole('cell').nth(place).innerText()).toContain(words[outcome])
    }
    expect(await page.getByRole('link', { name: 'Write a policy' }).count()).toBe(0)
    await looksSound(page, 'policies')
    await guard.getByRole('link', { name: 'guard', exact: true }).click()
    await page.getByRole('table', { name: 'Steps that it touches' }).waitFor()
    expect(await page.getByRole('button', { name: /Save|Delete/ }).count()).toBe(0)
    await expectHarmless(page)
  })

  test('tells what is wrong at its line, judges recorded runs before it saves, and wants loosening in words', async () => {
    const page = await visitors.open(owner, '/console/policies')
    await page.getByRole('link', { name: 'Write a policy' }).click()
    await write(page, 'YAML of the new policy', MINE.replace('deny', 'DENY'))
    const problems = page.getByRole('region', { name: 'Problems' })
    await problems.getByRole('button', { name: 'Line 4, column 15' }).waitFor()
    expect(await problems.innerText()).toContain('did you mean deny?')
    const save = page.getByRole('button', { name: 'Save', exact: true })
    expect(await save.isDisabled()).toBe(true)

    await write(page, 'YAML of the new policy', MINE)
    await page.getByLabel('development').check()
    const rehearsal = page.getByRole('region', { name: /runs of the last 30 days/ }).first()
    await rehearsal.getByText('Of 3 runs, 3 would have been judged differently.').waitFor()
    await rehearsal.getByText('Nothing gets looser.').waitFor()
    expect(await rehearsal.getByText('is refused').count()).toBeGreaterThan(0)
    await save.click()
    await page.getByRole('heading', { name: 'mine', exact: true }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/console/policies/mine')
    await page.getByText('Wins where it counts.').waitFor()

    await write(page, /YAML of the policy mine/, MINE.replace('deny', 'require_dry_run'))
    await rehearsal.getByText('3 runs would have been asked for less: it gets looser.').waitFor()
    expect(await rehearsal.getByText('looser', { exact: true }).count()).toBeGreaterThan(0)
    expect(await save.isDisabled()).toBe(true)
    if (PICTURES) await looksSound(page, 'policy')
    await page.getByLabel(/Something would be asked for less/).fill('loosen mine')
    await save.click()
    await page.getByText('Saved.').waitFor()
    const saved = await service.call<{ document: string; attached_in: string[] }>(
      'GET',
      '/ui/api/policies/mine',
      undefined,
      owner.headers,
    )
    expect(saved.body).toMatchObject({
      document: MINE.replace('deny', 'require_dry_run'),
      attached_in: ['development'],
    })
    expect(await seriousFindings(page)).toEqual([])
  })

  test('shows both versions to whoever was overtaken, and overwrites nothing unseen', async () => {
    await service.call('POST', '/ui/api/policies', MINE.replace('mine', 'shared'), yaml())
    const page = await visitors.open(owner, '/console/policies/shared')
    await editor(page, /shared/).waitFor()
    const theirs = MINE.replace('mine', 'shared').replace('closed for now', 'theirs')
    await service.call('PUT', '/ui/api/policies/shared', theirs, yaml())
    await write(page, /shared/, MINE.replace('mine', 'shared').replace('closed for now', 'of mine'))
    const save = page.getByRole('button', { name: 'Save', exact: true })
    await save.click()
    const conflict = page.getByRole('alert').filter({ hasText: 'Somebody else has changed it meanwhile' })
    await conflict.getByText('reason: theirs').waitFor()
    await conflict.getByText('reason: of mine').waitFor()
    await conflict.getByRole('button', { name: 'Go on with mine, to save it over theirs' }).click()
    await save.click()
    await page.getByText('Saved.').waitFor()
    const { body } = await service.call('GET', '/ui/api/policies/shared', undefined, owner.headers)
    expect(body['document']).toContain('reason: of mine')
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('button', { name: 'Yes, delete it' }).click()
    await page.getByRole('heading', { name: 'Policies' }).waitFor()
    expect((await service.call('GET', '/ui/api/policies/shared', undefined, owner.headers)).status).toBe(404)
  })
})
