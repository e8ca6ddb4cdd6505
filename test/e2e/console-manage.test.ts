import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, inject, test, vi } from 'vitest'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { seriousFindings } from '#test/support/console-axe.ts'
import { looksSound, PICTURES } from '#test/support/console-looks.ts'
import { agree, expectHarmless, openVisitors, type Visitors } from '#test/support/console-visitors.ts'
import { goTo } from '#test/support/go-to.ts'
import { AUTH_ENV, createIdentities, type Identities, type Member } from '#test/support/identity.ts'
import { PATIENCE } from '#test/support/patience.ts'
import { needs } from '#test/support/programs/needs.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

const HOSTILE = '"><img src=x onerror="window.hit=1"></pre><script>window.hit=1</script>'
/** what people wrote; pictures are for people too */
const WRITTEN = PICTURES ? 'Production is restored from its backup tonight' : HOSTILE
const GUARD = `name: guard
applies_to: { environments: [development] }
rules:
  - { effect: require_hitl, approval_role: dba, reason: '${WRITTEN}' }
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

// by a click: the editor takes Enter for a new line while a list is younger than 75 ms, and an update of the text can close a list
async function complete(page: Page, name: RegExp | string): Promise<void> {
  await vi.waitFor(async () => {
    const option = page.getByRole('option', { name })
    // by the editor: a press at the page would go to whatever has the focus
    if (!(await option.isVisible())) await editor(page, /^YAML of/).press('Control+Space')
    await option.click({ timeout: 1_000 })
  }, PATIENCE)
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
    await goTo(page, 'p', 'Policies')
    const list = page.getByRole('table', { name: 'Policies' })
    const guard = list.getByRole('row').filter({ has: page.getByRole('link', { name: 'guard', exact: true }) })
    expect(await guard.innerText()).toContain(`asks a person by the role dba ${WRITTEN}`)
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
    await steps.getByRole('columnheader', { name: 'development', exact: true }).waitFor()
    const place = (await steps.getByRole('columnheader').allInnerTexts()).indexOf('development')
    for (const { step, outcome } of answer.body.steps) {
      const row = steps.getByRole('row').filter({ hasText: step }).first()
      await expect.poll(() => row.getByRole('cell').nth(place).innerText()).toContain(words[outcome])
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
    await editor(page, 'YAML of the new policy').click()
    for (const key of ['g', 'r']) await page.keyboard.press(key)
    expect(new URL(page.url()).pathname, 'what is typed is text and no command').toBe('/console/new-policy')
    await write(page, 'YAML of the new policy', 'name: mine\nrules:\n  - ')
    await page.keyboard.type('eff')
    await complete(page, /^effect ?required/)
    await complete(page, 'require_hitl')
    expect(await editor(page, 'YAML of the new policy').innerText()).toContain('- effect: require_hitl')
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
    await rehearsal.getByText('Nothing would be looser.').waitFor()
    expect(await rehearsal.getByText('is refused').count()).toBeGreaterThan(0)
    await save.click()
    await page.getByRole('heading', { name: 'mine', exact: true }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/console/policies/mine')
    await page.getByText('No later layer overrides it there.').waitFor()

    await write(page, /YAML of the policy mine/, MINE.replace('deny', 'require_dry_run'))
    await rehearsal.getByText('3 runs would have been asked for less: it would be looser.').waitFor()
    expect(await rehearsal.getByText('looser', { exact: true }).count()).toBeGreaterThan(0)
    expect(await save.isDisabled()).toBe(true)
    await looksSound(page, 'policy')
    await page.getByLabel(/Something may be asked for less/).fill('loosen mine')
    await save.click()
    await page.getByText('Saved.', { exact: true }).waitFor()
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

  test('shows both versions to the one who was overtaken, and overwrites nothing unseen', async () => {
    await service.call('POST', '/ui/api/policies', MINE.replace('mine', 'shared'), yaml())
    const page = await visitors.open(owner, '/console/policies/shared')
    await editor(page, /shared/).waitFor()
    const theirs = MINE.replace('mine', 'shared').replace('closed for now', 'theirs')
    await service.call('PUT', '/ui/api/policies/shared', theirs, yaml())
    await write(page, /shared/, MINE.replace('mine', 'shared').replace('closed for now', 'of mine'))
    const save = page.getByRole('button', { name: 'Save', exact: true })
    await save.click()
    const conflict = page.getByRole('alert').filter({ hasText: 'Somebody else has changed it in the meantime' })
    await conflict.getByText('reason: theirs').waitFor()
    await conflict.getByText('reason: of mine').waitFor()
    await conflict.getByRole('button', { name: 'Keep mine, and save it over theirs' }).click()
    await save.click()
    await page.getByText('Saved.', { exact: true }).waitFor()
    const { body } = await service.call('GET', '/ui/api/policies/shared', undefined, owner.headers)
    expect(body['document']).toContain('reason: of mine')
    await agree(page, page.getByRole('button', { name: 'Delete' }), 'Yes, delete it')
    await page.getByRole('heading', { name: 'Policies' }).waitFor()
    expect((await service.call('GET', '/ui/api/policies/shared', undefined, owner.headers)).status).toBe(404)
  })

  test('shows what is administered, and offers a viewer nothing that would be refused', async () => {
    const page = await visitors.open(viewer, '/console/runs')
    await goTo(page, 'm', 'Admin')
    const parts = page.getByRole('navigation', { name: 'Admin' })
    await page.getByText('It cannot run.').waitFor()
    expect(await page.getByRole('table', { name: 'Dependencies' }).innerText()).toMatch(/workers\s+failing/)
    const names = ['Health', 'Halts', 'Connections', 'Deliveries', 'Models', 'Workspaces']
    expect(await parts.getByRole('link').allInnerTexts()).toEqual(names)
    await looksSound(page, 'admin')
    await parts.getByRole('link', { name: 'Halts' }).click()
    await page.getByText('Nothing is halted.').waitFor()
    await parts.getByRole('link', { name: 'Deliveries' }).click()
    await page.getByText('No notice matches.').waitFor()
    await parts.getByRole('link', { name: 'Models' }).click()
    await page.getByText('No model is bound.', { exact: false }).waitFor()
    await parts.getByRole('link', { name: 'Workspaces' }).click()
    await page.getByRole('table', { name: 'Workspaces' }).waitFor()
    const offered = /Change|Halt$|Lift|Make|Invite|Limits/
    expect(await page.getByRole('button', { name: offered }).count()).toBe(0)
    await page.goto(`${service.url}/console/admin?part=users`)
    await page.getByText('It cannot run.').waitFor()
  })

  test('invites by a link to a first password, gives roles, disables, and shows the link once', async () => {
    const page = await visitors.open(owner, '/console/admin?part=users')
    const invite = page.getByRole('form', { name: 'Invite somebody' })
    await invite.getByLabel('Mail address').fill('new@example.test')
    await invite.getByLabel('Name', { exact: true }).fill(WRITTEN)
    for (const box of await invite.getByRole('group', { name: 'Roles' }).getByRole('checkbox').all()) {
      expect(await box.isChecked(), 'no role is given that nobody chose').toBe(false)
      expect(await box.getAttribute('aria-describedby')).toBeTruthy()
    }
    await invite.getByText('Reads every record, and does nothing else.').waitFor()
    await invite.getByRole('checkbox', { name: 'approver' }).check()
    await invite.getByRole('button', { name: 'Invite' }).click()
    const once = page.getByRole('status', { name: 'Invitation for new@example.test' })
    const link = new URL(await once.locator('code').innerText())
    const token = link.hash.split('.')[1] ?? ''
    expect(link.href.startsWith(`${service.url}/console/join#usr_`)).toBe(true)
    const users = async () =>
      (
        await service.call<{ id: string; email: string; roles: string[]; status: string }[]>(
          ...(['GET', '/admin/users', undefined, owner.headers] as const),
        )
      ).body.find(({ email }) => email === 'new@example.test')
    const guest = await visitors.openAsStranger('/console/join')
    await guest.getByText('This link is incomplete.').waitFor()
    await guest.goto(link.href)
    await guest.getByLabel(/^Password/).fill(AUTH_ENV.SVC_ADMIN_PASSWORD)
    await guest.getByLabel('Repeat password').fill('something else altogether')
    await guest.getByRole('button', { name: 'Set the password' }).click()
    await guest.getByText('The two passwords differ.').waitFor()
    await guest.getByLabel('Repeat password').fill(AUTH_ENV.SVC_ADMIN_PASSWORD)
    await looksSound(guest)
    await guest.getByRole('button', { name: 'Set the password' }).click()
    await guest.getByText('Your password is set.').waitFor()
    expect(guest.url(), 'an invitation stays in no history').not.toContain(token)
    await guest.getByRole('link', { name: 'Sign in' }).click()
    await guest.getByLabel('Mail address').fill('new@example.test')
    await guest.getByLabel('Password').fill(AUTH_ENV.SVC_ADMIN_PASSWORD)
    await guest.getByRole('button', { name: 'Sign in' }).click()
    await guest.getByRole('navigation').first().waitFor()
    await guest.goto(link.href)
    await guest.getByLabel(/^Password/).fill(AUTH_ENV.SVC_ADMIN_PASSWORD)
    await guest.getByLabel('Repeat password').fill(AUTH_ENV.SVC_ADMIN_PASSWORD)
    await guest.getByRole('button', { name: 'Set the password' }).click()
    await guest.getByRole('alert').filter({ hasText: 'This invitation has expired' }).waitFor()
    await once.getByRole('button', { name: 'I have copied it' }).click()
    await once.waitFor({ state: 'detached' })
    expect(await page.content()).not.toContain(token)
    expect(await users()).toMatchObject({ roles: ['approver'], status: 'active' })
    await page.reload()
    await page.getByRole('button', { name: 'Change new@example.test' }).click()
    const edit = page.getByRole('region', { name: 'Change new@example.test' })
    await edit.getByRole('checkbox', { name: 'operator' }).check()
    await edit.getByRole('checkbox', { name: 'approver' }).uncheck()
    await edit.getByLabel('Approval roles').fill('dba, security')
    await edit.getByRole('button', { name: 'Save' }).click()
    await edit.waitFor({ state: 'detached' })
    expect(await users()).toMatchObject({ roles: ['operator'], approval_roles: ['dba', 'security'] })
    await looksSound(page)

    await page.getByRole('button', { name: 'Change new@example.test' }).click()
    await agree(edit, edit.getByRole('button', { name: 'Disable' }), 'Yes, disable')
    await edit.waitFor({ state: 'detached' })
    expect(await users()).toMatchObject({ status: 'disabled' })
  })

  test('invites to several workspaces, with a home', async () => {
    const draft = { slug: 'till', name: 'Till' }
    const { id } = (await service.call<{ id: string }>('POST', '/workspaces', draft, owner.headers)).body
    const page = await visitors.open(owner, '/console/admin?part=users')
    const invite = page.getByRole('form', { name: 'Invite somebody' })
    await invite.getByLabel('Mail address').fill('both@example.test')
    await invite.getByRole('checkbox', { name: 'viewer' }).check()
    await invite.getByRole('checkbox', { name: 'Till' }).check()
    await invite.getByLabel('Home').selectOption('Till')
    await looksSound(page)
    await invite.getByRole('button', { name: 'Invite' }).click()
    await page.getByRole('status', { name: 'Invitation for both@example.test' }).waitFor()
    const { body } = await service.call<{ email?: string; workspaces: string[] }[]>(
      ...(['GET', '/admin/users', undefined, owner.headers] as const),
    )
    expect(body.find(({ email }) => email === 'both@example.test')?.workspaces).toEqual([id, DEFAULT_WORKSPACE_ID])
  })

  test('invites an auditor who is nothing else, also of all workspaces', async () => {
    const page = await visitors.open(owner, '/console/admin?part=users')
    const invite = page.getByRole('form', { name: 'Invite somebody' })
    await invite.getByLabel('Mail address').fill('eve@example.test')
    await invite.getByRole('checkbox', { name: 'all workspaces' }).check()
    expect(await invite.getByRole('button', { name: 'Invite' }).isDisabled()).toBe(true)
    await invite.getByRole('checkbox', { name: 'auditor' }).check()
    await looksSound(page, 'invite')
    await invite.getByRole('button', { name: 'Invite' }).click()
    await page.getByRole('status', { name: 'Invitation for eve@example.test' }).waitFor()
    const { body } = await service.call<{ email?: string; roles: string[]; workspaces: string[] }[]>(
      ...(['GET', '/admin/users', undefined, owner.headers] as const),
    )
    expect(body.find(({ email }) => email === 'eve@example.test')).toMatchObject({
      roles: ['auditor'],
      workspaces: ['*'],
    })
    expect(await invite.getByRole('checkbox', { name: 'auditor' }).isChecked(), 'the next one begins with none').toBe(
      false,
    )
  })

  test('makes a key that works and is shown once, and revokes it', async () => {
    const page = await visitors.open(owner, '/console/admin?part=users')
    const invite = page.getByRole('form', { name: 'Invite somebody' })
    await invite.getByLabel('Mail address').fill('robot@example.test')
    await invite.getByRole('checkbox', { name: 'service' }).check()
    await invite.getByRole('button', { name: 'Invite' }).click()
    await page.getByText('robot@example.test is invited. A service account has no password').waitFor()
    expect(await page.getByText('Shown this once').count()).toBe(0)
    await page.getByRole('button', { name: 'Change robot@example.test' }).click()
    await page.getByRole('button', { name: 'Activate' }).click()
    await page.getByRole('row').filter({ hasText: 'robot@example.test' }).getByText('active').waitFor()
    await page.goto(`${service.url}/console/admin?part=keys`)
    const make = page.getByRole('form', { name: 'Make a key' })
    await make.getByLabel('What it is for').fill('nightly')
    await make.getByLabel('Days until it expires').fill('7')
    await make.getByRole('button', { name: 'Make the key' }).click()
    const once = page.getByRole('status', { name: 'Key nightly' })
    const key = { authorization: `Bearer ${await once.locator('code').innerText()}` }
    expect((await service.call('GET', '/runs', undefined, key)).status).toBe(200)
    await page.reload()
    const row = page.getByRole('row').filter({ hasText: 'nightly' })
    await row.filter({ hasText: 'robot@example.test' }).waitFor()
    await agree(row, row.getByRole('button', { name: 'Revoke' }), 'Yes, revoke it')
    await row.getByText('revoked').waitFor()
    expect((await service.call('GET', '/runs', undefined, key)).status).toBe(401)
  })

  test('sets limits of a workspace over nobody else’s, and halts and lifts with a reason', async () => {
    const page = await visitors.open(owner, '/console/admin?part=workspaces')
    const make = page.getByRole('form', { name: 'Make a workspace' })
    await make.getByLabel('Short name').fill('payments')
    await make.getByLabel('Name', { exact: true }).fill('Payments')
    const usual = make.getByLabel('Default environment')
    expect(await usual.inputValue()).toBe('development')
    await usual.selectOption('staging')
    await make.getByRole('button', { name: 'Make the workspace' }).click()
    await page.getByRole('button', { name: 'Change Payments' }).click()
    const limits = page.getByRole('form', { name: 'Change Payments' })
    const listed = async () =>
      (
        await service.call<{ id: string; slug: string; limits: object }[]>(
          ...(['GET', '/workspaces', undefined, owner.headers] as const),
        )
      ).body.find(({ slug }) => slug === 'payments')
    const made = await listed()
    expect(made).toMatchObject({ default_environment: 'staging' })
    const id = made?.id
    await service.call('PATCH', `/workspaces/${id}`, { limits: { realtime: 3 } }, owner.headers)
    await limits.getByLabel('US dollars a day').fill('25')
    await limits.getByRole('button', { name: 'Save' }).click()
    await limits.getByText('nothing was saved').waitFor()
    await limits.getByRole('button', { name: 'Show it as it is now' }).click()
    await expect.poll(() => limits.getByLabel('At once in realtime').inputValue()).toBe('3')
    await limits.getByLabel('US dollars a day').fill('25')
    await limits.locator('input[name="name"]').fill('Payments and refunds')
    await limits.getByLabel('Default environment').selectOption('production')
    await limits.getByRole('button', { name: 'Save' }).click()
    await limits.waitFor({ state: 'detached' })
    expect(await listed()).toMatchObject({
      ...{ name: 'Payments and refunds', default_environment: 'production' },
      limits: { realtime: 3, daily_usd: 25 },
    })

    await page.getByRole('link', { name: 'Users' }).click()
    await page.getByRole('button', { name: 'Change new@example.test' }).click()
    const edit = page.getByRole('region', { name: 'Change new@example.test' })
    await edit.getByRole('checkbox', { name: 'Payments and refunds' }).check()
    await edit.getByLabel('Home').selectOption('Payments and refunds')
    await edit.getByRole('button', { name: 'Save' }).click()
    await edit.waitFor({ state: 'detached' })
    const { body: people } = await service.call<{ email?: string; workspaces: string[] }[]>(
      ...(['GET', '/admin/users', undefined, owner.headers] as const),
    )
    const places = people.find(({ email }) => email === 'new@example.test')?.workspaces
    expect(places).toEqual([id, 'ws_00000000000000000000000000'])

    await page.getByRole('link', { name: 'Halts' }).click()
    const set = page.getByRole('region', { name: 'Halt' })
    expect(await set.getByRole('button', { name: 'Halt' }).isDisabled()).toBe(true)
    await set.getByText('What it stops: everything').click()
    await set.getByLabel('Environment').selectOption('development')
    await set.getByLabel('Why').fill(WRITTEN)
    await set.getByRole('button', { name: 'Halt' }).click()
    await set.getByText('Stop development?').waitFor()
    await set.getByRole('button', { name: 'Yes, stop it' }).click()
    const row = page.getByRole('table', { name: 'Halts' }).getByRole('row').filter({ hasText: 'development' })
    await row.waitFor()
    const start = () =>
      service.call('POST', '/packs/sre/service-recovery/run', { inputs: { url: 'http://127.0.0.1:9/' } }, owner.headers)
    expect((await start()).status).toBe(423)
    await looksSound(page)
    await page.getByRole('link', { name: 'Show halts' }).click()
    await page.waitForURL(/part=halts&name=halt_/)
    await agree(row, row.getByRole('button', { name: 'Lift' }), 'Yes, lift it')
    await page.getByText('Nothing is halted.').waitFor()
    // the address of a halt still says what it refused after the lift
    await page.reload()
    await page
      .getByRole('table', { name: `Refused by the halt “${WRITTEN}”, which was lifted` })
      .getByRole('button', { name: 'Start' })
      .waitFor()
    expect((await start()).status).toBe(202)

    // and so does the page while somebody else lifts one
    const { body: halt } = await service.call<{ id: string }>(
      ...(['POST', '/console/api/halts', { reason: 'a drill' }, owner.headers] as const),
    )
    expect((await start()).status).toBe(423)
    await page.getByRole('table', { name: 'Refused by the halt “a drill”', exact: true }).waitFor()
    await service.call('DELETE', `/console/api/halts/${halt.id}`, undefined, owner.headers)
    const drill = page.getByRole('table', { name: 'Refused by the halt “a drill”, which was lifted' })
    await drill.getByRole('button', { name: 'Start' }).click()
    await drill.getByRole('link', { name: 'Its run' }).waitFor()
  })

  test('offers and foretells in each workspace the environments that it may use, and no others', async () => {
    const ledger = { slug: 'ledger', name: 'Ledger' }
    const { id } = (await service.call<{ id: string }>('POST', '/workspaces', ledger, owner.headers)).body
    const books = { name: 'books', class: 'staging', workspaces: ['ledger'] }
    expect((await service.call('POST', '/ui/api/environments', books, owner.headers)).body).toMatchObject({
      granted: false,
    })
    await service.call('PATCH', `/workspaces/${id}`, { default_environment: 'books' }, owner.headers)
    const page = await visitors.open(owner, `/console/policies?workspace=${id}`)
    const steps = page.getByRole('table', { name: 'What would happen to each step' })
    await steps.waitFor()
    expect(await steps.getByRole('columnheader').allInnerTexts()).toEqual(['Step', 'books'])
    expect(await page.getByRole('alert').count()).toBe(0)
    await page.goto(`${service.url}/console/start/sre/service-recovery`)
    const offered = page.getByRole('combobox', { name: /^Environment/ }).getByRole('option')
    await expect.poll(() => offered.allInnerTexts()).toEqual(['books'])
    await page.goto(`${service.url}/console/admin?part=workspaces`)
    await page.getByRole('button', { name: 'Change Ledger' }).click()
    const usual = page.getByRole('form', { name: 'Change Ledger' }).getByLabel('Default environment')
    await expect
      .poll(() => usual.getByRole('option').allInnerTexts())
      .toEqual(expect.arrayContaining(['books', 'sandbox (this workspace may not use it)']))

    const away = { ...books, workspaces: ['default'] }
    await service.call('PUT', '/ui/api/environments/books', away, owner.headers)
    await page.goto(`${service.url}/console/policies`)
    await page.getByText('No environment is granted to this workspace.').waitFor()
    await service.call('DELETE', '/ui/api/environments/books', undefined, owner.headers)
  })

  test('says in words when schedules fire, what was missed, and pauses and resumes them', async () => {
    const draft = { name: 'nightly', cron: '30 6 * * 1-5', timezone: 'Europe/Berlin', pack: 'sre' }
    const made = await service.call<{ id: string; next_fires: string[] }>(
      'POST',
      '/triggers/scheduled',
      { ...draft, template: 'service-recovery', inputs: { url: 'http://127.0.0.1:9/' } },
      owner.headers,
    )
    expect(made.status).toBe(201)
    await service.database.db`
      insert into schedule_firings (schedule_id, nominal_at, workspace_id, outcome, reason)
      select id, '2026-01-05T05:30:00Z', workspace_id, 'missed', ${WRITTEN} from schedules where id = ${made.body.id}`
    const page = await visitors.open(owner, '/console/runs')
    await goTo(page, 't', 'Triggers')
    const row = page.getByRole('table', { name: 'Schedules' }).getByRole('row').filter({ hasText: 'nightly' })
    await row.getByText('At 06:30, Monday through Friday').waitFor()
    await row.getByRole('button', { name: 'Times of nightly' }).click()
    const times = page.getByRole('region', { name: 'Times of nightly' })
    await times.getByText('missed').waitFor()
    const shown = times.getByRole('list', { name: 'Next times' }).locator('time')
    const stamps = await Promise.all((await shown.all()).map((each) => each.getAttribute('datetime')))
    expect(stamps).toEqual(made.body.next_fires)
    await looksSound(page, 'triggers', true)
    await row.getByRole('button', { name: 'Pause nightly' }).click()
    await row.getByText('paused').waitFor()
    await times.getByText('none').waitFor()
    await row.getByRole('button', { name: 'Resume nightly' }).click()
    await row.getByText('active').waitFor()
    await page.context().close()
    const other = await visitors.open(viewer, '/console/triggers')
    await other.getByText('At 06:30, Monday through Friday').waitFor()
    expect(await other.getByRole('button', { name: /Pause|Resume/ }).count()).toBe(0)
    expect(await other.getByRole('link', { name: 'Inbox' }).count()).toBe(0)
    for (const part of ['rules', 'environments', 'profiles']) {
      await other.goto(`${service.url}/console/triggers?part=${part}&create=1`)
      await other.getByRole('heading', { name: part, exact: false }).waitFor()
      expect(await other.getByRole('button', { name: 'Save' }).count()).toBe(0)
    }
  })

  test('writes rules, environments and profiles with what is wrong at its line', async () => {
    const page = await visitors.open(owner, '/console/triggers?part=rules')
    await page.getByRole('link', { name: 'Write a rule' }).click()
    const rule = 'name: shop-down\non: alert\nmatch: { service: shop }\nrun: sre/service-recovry\n'
    await write(page, 'YAML of the new rule', rule)
    await page.getByRole('button', { name: 'Save' }).click()
    const problems = page.getByRole('region', { name: 'Problems' })
    await problems.getByRole('button', { name: /^Line 4/ }).waitFor()
    expect(await problems.innerText()).toContain('did you mean sre/service-recovery?')
    const sound = `${rule.replace('recovry', 'recovery')}inputs: { url: "http://127.0.0.1:9/" }\n`
    await write(page, 'YAML of the new rule', sound)
    await page.getByRole('button', { name: 'Save' }).click()
    await editor(page, 'YAML of the rule shop-down').waitFor()
    const kept = await service.call('GET', '/ui/api/triggers/shop-down', undefined, owner.headers)
    expect(kept.body).toMatchObject({ document: sound })

    await page.getByRole('link', { name: 'All rules' }).click()
    const tried = page.getByRole('table', { name: 'Rules' }).getByRole('row').nth(1)
    await tried.getByRole('link', { name: 'shop-down' }).waitFor()
    const cells = await tried.getByRole('cell').allInnerTexts()
    expect(cells.map((cell) => cell.split('\n')[0])).toEqual([
      '1',
      'shop-down',
      'console',
      'alert: service shop',
      'sre/service-recovery',
    ])
    const ingress = page.getByRole('table', { name: 'Signed ingress' })
    expect(await ingress.innerText()).toContain('/triggers/ingress/sre/github-deployments')
    await looksSound(page)

    await page.goto(`${service.url}/console/triggers?part=environments&name=production`)
    await write(page, /environment production/, 'name: production\napproval: { min_approvals: 2 }\n')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved.', { exact: true }).waitFor()
    const environment = await service.call('GET', '/ui/api/environments/production', undefined, owner.headers)
    expect(environment.body).toMatchObject({ approval: { min_approvals: 2 } })
    await write(page, /environment production/, 'name: production\napproval: { min_approvals: 1 }\n')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved. Something may be laxer now: approval').waitFor()
    expect(await seriousFindings(page)).toEqual([])

    await page.goto(`${service.url}/console/triggers?part=profiles`)
    await page.getByRole('link', { name: 'Write a new profile' }).click()
    await write(page, 'YAML of the new profile', 'name: careful\nrequires_approval: [service.restart]\n')
    await page.getByRole('button', { name: 'Save' }).click()
    await editor(page, 'YAML of the profile careful').waitFor()
    await page.getByText('service.restart').first().waitFor()
  })

  test('shows what arrived, what would become of it now, and processes it again', async () => {
    await service.call('POST', '/triggers/alert', { source: 'probe', service: WRITTEN, symptom: 'Down' }, owner.headers)
    const page = await visitors.open(owner, '/console/triggers?part=inbox')
    const row = page.getByRole('table', { name: 'Inbox' }).getByRole('row').filter({ hasText: '/triggers/alert' })
    await row.getByText('What was sent').click()
    await row.getByText(`"service": ${JSON.stringify(WRITTEN)}`).waitFor()
    await row.getByRole('button', { name: 'What would happen now?' }).click()
    await row.getByText('Outcome: simulated').waitFor()
    await agree(row, row.getByRole('button', { name: 'Process again' }), 'Yes, process it')
    await row.getByText('Outcome: unmatched').waitFor()
    expect(await seriousFindings(page)).toEqual([])
    await expectHarmless(page)
  })
})
