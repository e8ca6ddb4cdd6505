import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest'
import { isDescribed } from '#test/support/console-described.ts'
import { openVisitors, signOut, type Visitors } from '#test/support/console-visitors.ts'
import { AUTH_ENV, type Member } from '#test/support/identity.ts'
import { PATIENCE } from '#test/support/patience.ts'
import { needs } from '#test/support/programs/needs.ts'
import { openRecordWorld, type RecordWorld } from '#test/support/record-world.ts'

const PAGES = [
  '/console/gates',
  '/console/runs',
  '/console/start',
  '/console/start/sre/service-recovery',
  '/console/triggers',
  '/console/triggers?part=rules',
  '/console/triggers?part=environments',
  '/console/triggers?part=profiles',
  '/console/policies',
  '/console/new-policy',
  '/console/admin',
  '/console/admin?part=halts',
  '/console/admin?part=channels',
  '/console/admin?part=connections',
  '/console/admin?part=deliveries',
  '/console/admin?part=workspaces',
  '/console/admin?part=users',
  '/console/admin?part=keys',
  '/console/admin?part=settings',
  '/console/me',
  '/console/audit',
]

/** What the names of buttons begin with, by who may press them. */
const OF_VIEWERS = /^Ask$/
/** of their own workspaces, which may be others */
const OF_ALL_APPROVERS = /^Stop…/
const OF_APPROVERS = /^(Approve|Reject|Halt$)/
const OF_OPERATORS = /^(Dismiss|Cancel the run|Pause|Resume|Start$|Process again|Delete the schedule)/
const OF_ADMINS = /^(Lift|Invite|Make |Change |Revoke|Disable|Test )/
const REFUSED = {
  auditor: [OF_VIEWERS, OF_ALL_APPROVERS, OF_APPROVERS, OF_OPERATORS, OF_ADMINS],
  viewer: [OF_ALL_APPROVERS, OF_APPROVERS, OF_OPERATORS, OF_ADMINS],
  approver: [OF_OPERATORS, OF_ADMINS],
  operator: [OF_ADMINS],
  admin: [],
  owner: [],
} as const
type Role = keyof typeof REFUSED

let world: RecordWorld
let visitors: Visitors
let run: string
let elsewhere: string

/** Everything that a page asks, and how it was answered. */
function listen(page: Page) {
  const undescribed = new Set<string>()
  const refused = new Set<string>()
  page.on('request', (request) => {
    if (!isDescribed(request)) undescribed.add(`${request.method()} ${new URL(request.url()).pathname}`)
  })
  page.on('response', (answer) => {
    if (answer.status() >= 400) refused.add(`${answer.status()} ${new URL(answer.url()).pathname}`)
  })
  return { undescribed, refused }
}

/** The names of all buttons, once the page has said all it has to say. */
async function buttonsOf(page: Page, address: string): Promise<string[]> {
  await page.goto(`${world.service.url}${address}`)
  await page.getByRole('button', { name: /^Account of / }).waitFor()
  await page
    .locator('main')
    .locator('h1, [role=alert]')
    .or(page.getByText('Nothing is found at this address'))
    .first()
    .waitFor()
  await expect.poll(() => page.getByText('Loading…', { exact: true }).count(), PATIENCE).toBe(0)
  const buttons = await page.getByRole('button').all()
  return await Promise.all(
    buttons.map(async (each) => (await each.getAttribute('aria-label')) ?? (await each.innerText()).trim()),
  )
}

describe('what the console offers to whom', needs('chromium'), () => {
  beforeAll(async () => {
    world = await openRecordWorld({
      postgres_url: inject('postgres_url'),
      temporal_address: inject('temporal_address'),
    })
    visitors = await openVisitors(world.service)
    run = await world.alertRun('of several')
    const { body } = await world.service.call<{ id: string }>(
      'POST',
      '/workspaces',
      { slug: 'elsewhere', name: 'Elsewhere' },
      world.people.owner.headers,
    )
    elsewhere = body.id
  })
  afterAll(async () => {
    await visitors?.close()
    await world?.close()
  })
  afterEach(async () => expect(await visitors.leave()).toEqual([]))

  const memberOf = async (role: Role): Promise<Member> =>
    role === 'owner' ? world.people.owner : await world.people.add(`role-${role}`, { roles: [role] })

  test.each(Object.keys(REFUSED) as Role[])(
    'to a person with the role %s: no button and no request that would be refused, nothing that is not described',
    async (role) => {
      const page = await visitors.open(await memberOf(role), '/console/runs')
      const seen = listen(page)
      const names: string[] = []
      for (const address of PAGES) names.push(...(await buttonsOf(page, address)))
      for (const part of ['summary', 'context', 'events', 'files', 'record'])
        names.push(...(await buttonsOf(page, `/console/runs/${run}?part=${part}`)))
      await page.getByText('Verified in this browser').waitFor()
      names.push(...(await buttonsOf(page, '/console/gates')))
      await page.getByRole('list', { name: 'Waiting for an answer' }).getByRole('button').first().click()
      await page.getByRole('heading', { name: 'Identifiers' }).waitFor()
      names.push(...(await page.getByRole('button').allInnerTexts()))
      for (const kind of REFUSED[role]) expect(names.filter((name) => kind.test(name))).toEqual([])
      // so that the words above are those of the page
      if (role === 'owner') for (const kind of REFUSED.auditor) expect(names.some((name) => kind.test(name))).toBe(true)
      expect([...seen.undescribed]).toEqual([])
      expect([...seen.refused]).toEqual([])
    },
    120_000,
  )

  test('to an approver of another workspace: nothing of this one', async () => {
    const stranger = await world.people.add('stranger', { roles: ['approver'], workspaces: [elsewhere] })
    const page = await visitors.open(stranger, '/console/gates')
    const seen = listen(page)
    await page.getByText('Nothing waits for an answer.').waitFor()
    await page.goto(`${world.service.url}/console/runs`)
    await page.getByText('Nothing has run in this workspace yet.').waitFor()
    expect([...seen.refused]).toEqual([])
    const names = await buttonsOf(page, `/console/runs/${run}`)
    await page.getByText('Nothing is found at this address').waitFor()
    for (const kind of [OF_APPROVERS, OF_OPERATORS, OF_ADMINS])
      expect(names.filter((name) => kind.test(name))).toEqual([])
    expect([...seen.undescribed]).toEqual([])
  })

  test('to somebody who is disabled while looking: the sign-in, which takes them no more', async () => {
    const gone = await world.people.add('gone', { roles: ['operator'] })
    const page = await visitors.open(gone, `/console/runs/${run}`)
    await page.getByRole('button', { name: 'Cancel the run' }).waitFor()
    await world.service.call('PATCH', `/admin/users/${gone.id}`, { status: 'disabled' }, world.people.owner.headers)
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    expect(await page.getByText('Needs approval').count(), 'nothing is left on the screen').toBe(0)
    await page.getByLabel('Mail address').fill(gone.email)
    await page.getByLabel('Password').fill(AUTH_ENV.SVC_ADMIN_PASSWORD)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('alert').getByText('not right').waitFor()
    await page.goto('about:blank')
  })

  test('a session of its own to each sign-in, no matter what was planted before', async () => {
    const [mallory, ann] = [
      await world.people.add('mallory', { roles: ['viewer'] }),
      await world.people.add('ann', { roles: ['viewer'] }),
    ]
    const page = await visitors.open(mallory, '/console/runs')
    const context = page.context()
    const session = async () => (await context.cookies()).find(({ name }) => name === 'svc_session')?.value
    const planted = await session()
    expect(planted).toBeTruthy()
    const other = await visitors.open(ann, '/console/runs')
    await other
      .context()
      .addCookies([
        { name: 'svc_session', value: planted ?? '', url: world.service.url, httpOnly: true, sameSite: 'Strict' },
      ])
    await other.reload()
    await other.getByText('mallory@example.test').waitFor()
    await signOut(other)
    await other.getByLabel('Mail address').fill(ann.email)
    await other.getByLabel('Password').fill(AUTH_ENV.SVC_ADMIN_PASSWORD)
    await other.getByRole('button', { name: 'Sign in' }).click()
    await other.getByText('ann@example.test').waitFor()
    const [given] = (await other.context().cookies()).filter(({ name }) => name === 'svc_session')
    expect(given?.value).not.toBe(planted)
    // what was planted does not become theirs
    await page.reload()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  })
})
