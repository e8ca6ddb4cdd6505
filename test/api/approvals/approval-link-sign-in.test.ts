import { setTimeout } from 'node:timers/promises'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { UserRow } from '#store/users.ts'
import { createTestApi } from '#test/support/api-client.ts'
import { fileFixture } from '#test/support/file-fixture.ts'
import { JSON_ANSWER, openLinkWorld, ROLES } from '#test/support/link-world.ts'
import { createTestBrowser, sendTestLink, type TestLink } from '#test/support/magic-link.ts'
import { addUser, bearer, PASSWORD, SECRET } from '#test/support/users.ts'

const world = fileFixture(openLinkWorld)
beforeEach(() => world.reset())

describe('a rule that asks who decides', () => {
  it('shows an anonymous reader nothing but where a decision is requested', async () => {
    const link = await sendTestLink(world.api, { gate: ROLES })
    const { html } = await createTestBrowser(world.api).open(link.path)
    expect(html).toContain('incident/service-recovery')
    expect(html).not.toMatch(/restart|sha256:|run_|name="code"/)
    const body = await (await world.api.get(link.path, JSON_ANSWER)).json()
    expect(Object.keys(body as object).sort()).toEqual(['login_required', 'nonce', 'state', 'template', 'workspace'])
  })

  it('is not satisfied by the link and its code', async () => {
    for (const gate of [ROLES, { required: { approvals: 1, approval_roles: [], prevent_self: true } }]) {
      const link = await sendTestLink(world.api, { gate })
      const { nonce } = (await (await world.api.get(link.path, JSON_ANSWER)).json()) as { nonce: string }
      const headers = { ...JSON_ANSWER, 'x-svc-code': link.code, 'x-svc-confirm': nonce }
      expect((await world.api.get(`${link.path}&decision=approve`, headers)).status).toBe(401)
      expect(await world.refusals(link.gate_id)).toEqual(['unauthenticated'])
    }
    expect(world.decided).toEqual([])
  })
})

describe('signing in on the page of a link', () => {
  let dba: UserRow
  let viewer: UserRow
  let foreign: UserRow

  const guarded = fileFixture(() =>
    createTestApi(world.database, { secret: SECRET, services: { engine: world.api.deps.services.engine } }),
  )
  /** with a limit of sign-ins of its own */
  const unhurried = fileFixture(() =>
    createTestApi(world.database, { secret: SECRET, services: { engine: world.api.deps.services.engine } }),
  )
  beforeAll(async () => {
    dba = await addDba()
    viewer = await addUser(guarded.deps)
    foreign = await addUser(guarded.deps, { roles: ['approver'], workspaces: [`ws_${'9'.repeat(26)}`] })
  })

  const addDba = () => addUser(guarded.deps, { roles: ['approver'], approval_roles: ['dba'] })

  async function decide(link: TestLink, fields: Record<string, string>) {
    const browser = createTestBrowser(guarded)
    const { nonce } = await browser.open(link.path)
    return await browser.submit(link.path, { nonce, decision: 'approve', ...fields })
  }

  it('decides as anyone who has signed in, with their roles', async () => {
    const link = await sendTestLink(guarded, { gate: ROLES })
    expect((await decide(link, { email: dba.email, password: PASSWORD })).response.status).toBe(200)
    expect(world.decided).toMatchObject([{ by: dba.id, channel: 'magic_link', asserted: false, auth: 'jwt' }])
  })

  it('takes a vote of each person by the link of a shared address, once, and says who is missing', async () => {
    const [one, other] = [await addDba(), await addDba()]
    const link = await sendTestLink(guarded, { gate: { required: { ...ROLES.required, approvals: 2 } } })
    const first = await decide(link, { email: one.email, password: PASSWORD })
    expect(first.html).toContain('1 of 2 approvals are there')
    const again = await decide(link, { email: one.email, password: PASSWORD })
    expect(again.response.status).toBe(409)
    expect(again.html).toContain('It takes 1 more approval')
    expect((await decide(link, { email: other.email, password: PASSWORD })).response.status).toBe(200)
    expect(world.decided).toMatchObject([{ by: one.id }, { by: other.id }])
  })

  it('takes no form of another origin, whatever cookies and nonce it comes with', async () => {
    const link = await sendTestLink(guarded, { gate: ROLES })
    const browser = createTestBrowser(unhurried)
    const { nonce } = await browser.open(link.path)
    const signed = await browser.submit(link.path, { nonce, decision: '', email: dba.email, password: PASSWORD })
    expect(signed.html).toContain('Signed in as')
    const before = world.decided.length
    const sibling = { 'sec-fetch-site': 'same-site', origin: 'https://evil.svc.test' }
    for (const from of [sibling, { origin: 'https://evil.svc.test', host: 'svc.test' }])
      expect((await browser.submit(link.path, { nonce, decision: 'approve' }, from)).response.status).toBe(403)
    expect(world.decided).toHaveLength(before)
    const own = { 'sec-fetch-site': 'same-origin' }
    expect((await browser.submit(link.path, { nonce, decision: 'approve' }, own)).response.status).toBe(200)
  })

  it('is refused to a wrong password, a viewer, a stranger to the workspace and the code alone; the link stays good', async () => {
    const link = await sendTestLink(guarded, { gate: ROLES })
    const statuses = [
      await decide(link, { email: dba.email, password: 'something else' }),
      await decide(link, { email: 'nobody@example.test', password: PASSWORD }),
      await decide(link, { email: viewer.email, password: PASSWORD }),
      await decide(link, { email: foreign.email, password: PASSWORD }),
      await decide(link, { code: link.code }),
    ].map(({ response }) => response.status)
    expect(statuses).toEqual([401, 401, 403, 403, 401])
    expect(world.decided).toEqual([])
    // the viewer is refused by the gate, once and on its own record
    const codes = ['approver_not_allowed', 'unauthenticated', 'unauthenticated', 'unauthenticated']
    expect(await world.refusals(link.gate_id)).toEqual(codes)
    expect(
      await world.database.db`
        select draft #>> '{actor,id}' as who, draft ->> 'channel' as channel from audit_outbox
        where draft ->> 'action' = 'gate.refused' and draft #>> '{subject,id}' = ${link.gate_id}`,
    ).toEqual([{ who: viewer.id, channel: 'magic_link' }])
    expect((await decide(link, { email: dba.email, password: PASSWORD })).response.status).toBe(200)
  })

  it('shows the details to anyone who has, and to nobody else', async () => {
    const link = await sendTestLink(guarded, { gate: ROLES })
    const see = async (user: UserRow) =>
      (await guarded.get(link.path, { ...JSON_ANSWER, ...(await bearer(guarded.deps, user)) })).json()
    expect(await see(viewer)).toHaveProperty('details')
    expect(await see(foreign)).not.toHaveProperty('details')
    const browser = createTestBrowser(guarded)
    const { nonce } = await browser.open(link.path)
    const credentials = { email: viewer.email, password: PASSWORD, decision: '' }
    expect((await browser.submit(link.path, { ...credentials, nonce })).html).toContain('/restart')
    expect((await browser.submit(link.path, { ...credentials, nonce: '' })).response.status).toBe(403)
    expect(world.decided).toEqual([])
  })

  it('takes the password once a visit: the browser that signed in decides without a second one', async () => {
    const link = await sendTestLink(guarded, { gate: ROLES })
    const browser = createTestBrowser(guarded)
    const { nonce } = await browser.open(link.path)
    const shown = await browser.submit(link.path, { nonce, email: dba.email, password: PASSWORD, decision: '' })
    expect(shown.html).toContain('/restart')
    expect(shown.html).not.toMatch(/type="password"/)
    expect((await browser.open(link.path)).html).toContain('/restart')
    // neither the cookie without the page's nonce nor a bare GET decides
    expect((await browser.submit(link.path, { nonce: '', decision: 'approve' })).response.status).toBe(403)
    expect((await browser.open(`${link.path}&decision=approve`)).response.status).toBe(200)
    expect(world.decided).toEqual([])
    expect((await browser.submit(link.path, { nonce, decision: 'approve' })).response.status).toBe(200)
    expect(world.decided).toMatchObject([{ by: dba.id, channel: 'magic_link', asserted: false, auth: 'jwt' }])
  })

  it('offers no answer to anyone who could only be refused, and says who may instead', async () => {
    await addUser(guarded.deps, { roles: ['operator'], approval_roles: ['dba'], display_name: '<b>Dora</b>' })
    const link = await sendTestLink(guarded, { gate: ROLES })
    const browser = createTestBrowser(guarded)
    const { nonce } = await browser.open(link.path)
    const signIn = (user: UserRow) =>
      browser.submit(link.path, { nonce, email: user.email, password: PASSWORD, decision: '' })
    const { html } = await signIn(viewer)
    expect(html).not.toMatch(/value="(approve|reject)"/)
    // nobody else's session goes without a word
    expect(html).toMatch(/Sign in as another user.*name="keep" value="1" >/s)
    expect(html).toMatch(
      /may not answer this\. It takes 1 more approval, from dba\. It may be approved by: [^<]*&lt;b&gt;Dora/,
    )
    expect((await signIn(dba)).html).toMatch(/value="approve".*\n.*value="reject"/)
    const plain = await addUser(guarded.deps, { roles: ['approver'] })
    const body = await (await guarded.get(link.path, { ...JSON_ANSWER, ...(await bearer(guarded.deps, plain)) })).json()
    expect(body).toMatchObject({ answers: { you_may: ['reject'], missing: '1 more approval, from dba' } })
    expect((body as { answers: { others: string[] } }).answers.others).toContain('<b>Dora</b>')
    expect(world.decided).toEqual([])
  })

  it('keeps the sign-in for that link and for anyone who may decide, and lets somebody else sign in', async () => {
    const [link, other] = [await sendTestLink(guarded, { gate: ROLES }), await sendTestLink(guarded, { gate: ROLES })]
    const browser = createTestBrowser(guarded)
    const { nonce } = await browser.open(link.path)
    const credentials = { email: viewer.email, password: PASSWORD, decision: '' }
    await browser.submit(link.path, { ...credentials, nonce })
    const refused = await browser.submit(link.path, { nonce, decision: 'approve' })
    expect(refused.response.status).toBe(403)
    expect(refused.html).toMatch(/type="password"/)
    await browser.submit(link.path, { ...credentials, nonce, email: dba.email })
    const elsewhere = await browser.open(other.path)
    expect((await browser.submit(other.path, { nonce: elsewhere.nonce, decision: 'approve' })).response.status).toBe(
      401,
    )
    expect(world.decided).toEqual([])
  })

  describe('once', () => {
    const SITE = (site: string) => ({ 'sec-fetch-site': site, accept: 'text/html' })
    const REFRESH = /<meta http-equiv="refresh" content="0;url=([^"]*)">/
    const keep = { password: PASSWORD, decision: '', keep: '1' }

    it('is enough for the pages of further links, and stays after the decision', async () => {
      const [link, other] = [await sendTestLink(guarded, { gate: ROLES }), await sendTestLink(guarded, { gate: ROLES })]
      const browser = createTestBrowser(guarded)
      const { nonce } = await browser.open(link.path)
      const shown = await browser.submit(link.path, { ...keep, nonce, email: (await addDba()).email })
      expect(shown.response.headers.getSetCookie().join()).toMatch(/svc_session=[^;]+;.*HttpOnly; SameSite=Strict/)
      expect((await browser.submit(link.path, { nonce, decision: 'approve' })).response.status).toBe(200)
      const next = await browser.open(other.path, SITE('same-origin'))
      expect(next.html).toContain('Signed in as')
      expect(next.html).not.toMatch(/type="password"|http-equiv="refresh"/)
      expect((await browser.submit(other.path, { nonce: next.nonce, decision: 'approve' })).response.status).toBe(200)
      const [one, another] = world.decided
      expect(another?.by).toBe(one?.by)
      expect(world.decided).toHaveLength(2)
    })

    it('is not counted in a request that another site began: its page loads itself again, once, from the same place', async () => {
      const link = await sendTestLink(guarded, { gate: ROLES })
      const browser = createTestBrowser(guarded)
      const first = await browser.open(link.path)
      await browser.submit(link.path, { ...keep, nonce: first.nonce, email: (await addDba()).email })
      for (const site of ['cross-site', 'same-site', 'none']) {
        const { html } = await browser.open(link.path, SITE(site))
        expect(html).toMatch(/type="password"/)
        const [, address = ''] = REFRESH.exec(html) ?? []
        expect(address).toMatch(/^\?token=[\w.~-]+&amp;again=1$/)
        const again = `${link.path.split('?')[0]}${address.replace('&amp;', '&')}`
        expect((await browser.open(again, SITE('same-origin'))).html).toContain('Signed in as')
        expect((await browser.open(again, SITE(site))).html).not.toMatch(REFRESH)
      }
    })

    it('makes no page load itself again for a program, without a session to look for, or where the code is enough', async () => {
      const [link, plain] = [await sendTestLink(guarded, { gate: ROLES }), await sendTestLink(guarded)]
      const open = async (path: string, site: string) => (await createTestBrowser(guarded).open(path, SITE(site))).html
      expect(await open(link.path, 'none')).not.toMatch(REFRESH)
      expect(await open(plain.path, 'cross-site')).not.toMatch(REFRESH)
      expect((await createTestBrowser(guarded).open(link.path)).html).not.toMatch(REFRESH)
      const { html } = await createTestBrowser(guarded).open(
        `${link.path}&again=https://evil.example.test`,
        SITE('cross-site'),
      )
      expect(html).not.toMatch(/http-equiv="refresh"|evil/)
    })

    it('decides nothing in a request that another site began, and ends with the session', async () => {
      const link = await sendTestLink(guarded, { gate: ROLES })
      const person = await addDba()
      const browser = createTestBrowser(guarded)
      const { nonce } = await browser.open(link.path)
      await browser.submit(link.path, { ...keep, nonce, email: person.email })
      const headers = { 'sec-fetch-site': 'cross-site' }
      expect((await browser.submit(link.path, { nonce, decision: 'approve' }, headers)).response.status).toBe(403)
      await world.database.db`update users set token_version = token_version + 1 where id = ${person.id}`
      await setTimeout(1_100)
      expect((await browser.submit(link.path, { nonce, decision: 'approve' })).response.status).toBe(401)
      expect(world.decided).toEqual([])
    })

    it('decides for nobody but the user whom the page named', async () => {
      const link = await sendTestLink(guarded, { gate: ROLES })
      const browser = createTestBrowser(guarded)
      const [one, other] = [await addDba(), await addDba()]
      const { nonce } = await browser.open(link.path)
      const shown = await browser.submit(link.path, { ...keep, nonce, email: one.email })
      expect(shown.html).toContain(`name="user_id" value="${one.id}"`)
      // another tab of the browser
      await browser.submit(link.path, { ...keep, nonce, email: other.email })
      const late = await browser.submit(link.path, { nonce, decision: 'approve', user_id: one.id })
      expect(late.response.status).toBe(409)
      expect(late.html).toContain(`name="user_id" value="${other.id}"`)
      expect(world.decided).toEqual([])
      expect((await browser.submit(link.path, { nonce, decision: 'approve', user_id: other.id })).response.status).toBe(
        200,
      )
    })

    it('is not kept for those who do not say so', async () => {
      const link = await sendTestLink(guarded, { gate: ROLES })
      const browser = createTestBrowser(guarded)
      const { nonce } = await browser.open(link.path)
      const { response } = await browser.submit(link.path, {
        nonce,
        email: dba.email,
        password: PASSWORD,
        decision: '',
      })
      expect(response.headers.getSetCookie().join()).not.toContain('svc_session')
    })
  })

  it('goes by bearer token for a program', async () => {
    const link = await sendTestLink(guarded, { gate: ROLES })
    const { nonce } = (await (await guarded.get(link.path, JSON_ANSWER)).json()) as { nonce: string }
    const headers = { ...JSON_ANSWER, 'x-svc-confirm': nonce, ...(await bearer(guarded.deps, dba)) }
    expect((await guarded.get(`${link.path}&decision=approve`, headers)).status).toBe(200)
    expect(world.decided).toMatchObject([{ by: dba.id, asserted: false }])
  })

  it('is asked of everybody where several must agree: one person with two links is not two', async () => {
    const gate = { required: { approvals: 2, approval_roles: [], prevent_self: false } }
    const link = await sendTestLink(guarded, { gate })
    expect((await decide(link, { code: link.code })).response.status).toBe(401)
    expect(world.decided).toEqual([])
  })

  it('is not asked for where the rule does not: the code is enough', async () => {
    const link = await sendTestLink(guarded)
    expect((await decide(link, { code: link.code })).response.status).toBe(200)
    expect(world.decided).toMatchObject([{ by: 'oncall@example.test', asserted: true, roles: [] }])
  })
})
