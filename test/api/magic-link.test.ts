import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import { actionWorkflowId } from '#core/action-contract.ts'
import type { GateCommand } from '#core/contract.ts'
import { createLinks } from '#platform/links.ts'
import type { UserRow } from '#store/users.ts'
import { admitTestRun, createTestApi, parkTestRun, type TestApi, wonOutcome } from '../support/api-client.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { createTestBrowser, issueTestLink, sendTestLink, TEST_SIGNER, type TestLink } from '../support/magic-link.ts'
import { addUser, bearer, PASSWORD, SECRET } from '../support/users.ts'

const UNKNOWN = `/triggers/approve/action-gate_${'0'.repeat(26)}`
const ROLES = { required: { approvals: 1, approval_roles: [['dba']], prevent_self: false } }
const JSON_ANSWER = { accept: 'application/json' }

/** What looks at links before people do. */
const SCANNERS: Record<string, string>[] = [
  { 'user-agent': 'Mozilla/5.0 (compatible; MSIE 9.0; Windows NT 6.1; Trident/5.0; Microsoft Outlook 16)' },
  { 'user-agent': 'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)' },
  { 'user-agent': 'facebookexternalhit/1.1' },
  { 'user-agent': 'Mozilla/5.0 SkypeUriPreview Preview/0.5' },
  { 'user-agent': 'Barracuda Sentinel (EE)' },
  { 'user-agent': 'Mozilla/5.0 (Proofpoint URL Defense)' },
  { 'user-agent': 'TelegramBot (like TwitterBot)' },
  { 'user-agent': 'WhatsApp/2.23' },
  { 'user-agent': 'curl/8.0', purpose: 'prefetch' },
  { 'user-agent': 'Mozilla/5.0', 'sec-purpose': 'prefetch;prerender' },
  { 'user-agent': 'Mozilla/5.0', 'x-moz': 'prefetch' },
]

let database: TestDatabase
let api: TestApi
let decided: GateCommand[] = []
let failure: Error | undefined

beforeAll(async () => {
  database = await createTestDatabase(inject('postgres_url'))
  api = await createTestApi(database, {
    services: {
      engine: {
        start: async () => {},
        cancel: async () => {},
        decide: async (_run, command) => {
          if (failure !== undefined) throw failure
          decided.push(command)
          const status = command.kind === 'approve' ? 'approved' : 'rejected'
          return { ...wonOutcome(command.gate_id, status), resolved_by: command.by, channel: command.channel }
        },
      },
    },
  })
})
afterAll(async () => {
  await api?.close()
  await database?.drop()
})
beforeEach(() => {
  decided = []
  failure = undefined
})

async function refusals(gateId: string): Promise<unknown[]> {
  const rows = await database.db<{ code: string }[]>`
    select draft -> 'data' ->> 'code' as code from audit_outbox
    where draft ->> 'action' = 'link.refused' and draft -> 'subject' ->> 'id' = ${gateId} order by id`
  return rows.map(({ code }) => code)
}

async function linkRow(gateId: string) {
  const [row] = await database.db<{ views: number; wrong_codes: number; used_at: string | null }[]>`
    select views, wrong_codes, used_at from magic_links where gate_id = ${gateId}`
  return row
}

/** The bytes of an answer without what names the request itself. */
async function bytes(response: Response, path: string): Promise<string> {
  const text = await response.text()
  return `${response.status} ${text.replace(/req_\w+/, 'req').replace(path.split('?', 1)[0] ?? '', '/path')}`
}

describe('following a link', () => {
  it('shows exactly what is to be decided, as a page that runs and loads nothing', async () => {
    const { path, gate_id, code } = await sendTestLink(api)
    const { response, html } = await createTestBrowser(api).open(path)
    expect(response.status).toBe(200)
    expect(html).toContain('POST http://127.0.0.1:8080/restart')
    expect(html).toContain(`sha256:${'a'.repeat(64)}`)
    expect(html).not.toMatch(/<script|\son\w+=|src=|href=|checked/)
    expect(html).not.toContain(code)
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(response.headers.get('referrer-policy')).toBe('no-referrer')
    expect(response.headers.get('x-robots-tag')).toContain('noindex')
    const policy = response.headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("form-action 'self'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toContain('unsafe')
    const [cookie = ''] = response.headers.getSetCookie()
    expect(cookie).toMatch(/; Path=\/triggers\/approve; HttpOnly; SameSite=Strict$/)
    expect((await linkRow(gate_id))?.views).toBe(1)
  })

  it('answers a program with JSON', async () => {
    const { path, run_id } = await sendTestLink(api)
    const body = await (await api.get(path, JSON_ANSWER)).json()
    expect(body).toMatchObject({
      state: 'open',
      template: 'incident/service-recovery',
      login_required: false,
      details: { run_id, step: 'act' },
    })
  })

  it('decides nothing by GET or HEAD, however often and by whomever, and is good afterwards', async () => {
    const link = await sendTestLink(api)
    for (let round = 0; round < 100; round += 1) {
      const headers = SCANNERS[round % SCANNERS.length] ?? {}
      const query = ['', '&decision=approve', '&decision=reject&code=ABCDEF', '&approve=1'][round % 4]
      const method = round % 3 === 0 ? 'HEAD' : 'GET'
      const response = await api.app.request(`${link.path}${query}`, { method, headers })
      expect(response.status).toBe(200)
    }
    expect(decided).toEqual([])
    expect((await linkRow(link.gate_id))?.views).toBe(100)
    await approve(link)
    expect(decided).toHaveLength(1)
  })

  it('decides nothing by a HEAD that carries what a confirmed GET carries', async () => {
    const link = await sendTestLink(api)
    const { nonce } = (await (await api.get(link.path, JSON_ANSWER)).json()) as { nonce: string }
    const headers = { ...JSON_ANSWER, 'x-svc-confirm': nonce, 'x-svc-code': link.code }
    expect((await api.app.request(`${link.path}&decision=approve`, { method: 'HEAD', headers })).status).toBe(200)
    expect(decided).toEqual([])
  })

  it('keeps the token out of the log', async () => {
    const link = await sendTestLink(api)
    api.lines.length = 0
    await api.get(link.path)
    const token = link.path.split('token=')[1] ?? ''
    expect(JSON.stringify(api.lines)).toContain('/triggers/approve/{workflow_id}')
    expect(JSON.stringify(api.lines)).not.toContain(token.slice(0, 20))
  })

  it('escapes what comes from outside', async () => {
    const gate = { view: { plan: { summary: '<script>alert(1)</script>', command: '"><img src=x>' }, operation: {} } }
    const { path } = await sendTestLink(api, { gate })
    const { html } = await createTestBrowser(api).open(path)
    expect(html).toContain('&lt;script&gt;')
    expect(html).not.toMatch(/<script|<img/)
  })
})

describe('a link that is none', () => {
  it('is answered with the very bytes of an unknown one, whatever is wrong with it', async () => {
    const link = await sendTestLink(api)
    const other = await sendTestLink(api)
    const expired = await sendTestLink(api, { expires_at: new Date(Date.now() - 60_000).toISOString() })
    const forger = createLinks({ master_key: 'another key of at least thirty-two bytes', clock: Date.now })
    const forged = await forger.mint({
      jti: `lnk_${'0'.repeat(26)}`,
      gate_id: link.gate_id,
      plan_hash: `sha256:${'a'.repeat(64)}`,
      recipient: 'x',
      exp: 4_000_000_000,
    })
    const unissued = await TEST_SIGNER.mint({
      jti: `lnk_${'1'.repeat(26)}`,
      gate_id: link.gate_id,
      plan_hash: `sha256:${'a'.repeat(64)}`,
      recipient: 'x',
      exp: 4_000_000_000,
    })
    const [head = '', token = ''] = link.path.split('?token=')
    const none = `${Buffer.from('{"alg":"none","typ":"svc-link"}').toString('base64url')}.${token.split('.')[1]}.`
    const wrong = [
      head,
      `${head}?token=`,
      `${head}?token=x.y.z`,
      `${head}?token=${token.slice(0, -2)}`,
      `${head}?token=${none}`,
      `${head}?token=${forged}`,
      `${head}?token=${unissued}`,
      `${head}?token=${'x'.repeat(5_000)}`,
      `${other.path.split('?')[0]}?token=${token}`,
      expired.path,
      `/triggers/approve/nonsense?token=${token}`,
    ]
    const unknown = await bytes(await api.get(UNKNOWN), UNKNOWN)
    for (const path of wrong) {
      expect(await bytes(await api.get(path), path)).toBe(unknown)
      expect(await bytes(await api.post(path, { decision: 'approve', code: link.code }), path)).toBe(unknown)
    }
    expect(decided).toEqual([])
    // what we did sign is on record: the one that was tried on another gate, and the one that came too late
    expect(await refusals(link.gate_id)).toEqual(['link_foreign', 'link_foreign', 'link_foreign', 'link_foreign'])
    expect(await refusals(expired.gate_id)).toEqual(['link_expired', 'link_expired'])
  })

  it('is every link of an environment that allows none any more, on record', async () => {
    const link = await sendTestLink(api)
    const { environments } = api.deps.services
    const get = (name: string) => {
      const found = environments.get(name)
      return found && { ...found, approval: { ...found.approval, links: false } }
    }
    const closed = await createTestApi(database, { services: { environments: { ...environments, get } } })
    expect(await bytes(await closed.get(link.path), link.path)).toBe(await bytes(await closed.get(UNKNOWN), UNKNOWN))
    expect(await refusals(link.gate_id)).toEqual(['link_forbidden'])
    await closed.close()
  })

  it('says so where there is no key to sign links with', async () => {
    const bare = await createTestApi(database, { master_key: null })
    const response = await bare.get(UNKNOWN)
    expect([response.status, await response.json()]).toMatchObject([501, { code: 'not_configured' }])
    await bare.close()
  })
})

/** What a person does who has the message in front of him. */
async function approve(link: TestLink, fields: Record<string, string> = {}) {
  const browser = createTestBrowser(api)
  const { nonce } = await browser.open(link.path)
  return await browser.submit(link.path, { nonce, decision: 'approve', code: link.code, ...fields })
}

describe('deciding through a link', () => {
  it('takes the code of the message, however it is written', async () => {
    const link = await sendTestLink(api)
    const code = ` ${link.code.slice(0, 3)}-${link.code.slice(3).toLowerCase()} `
    const { response, html } = await approve(link, { code, note: 'looks right' })
    expect([response.status, html]).toEqual([200, expect.stringContaining('You have approved it')])
    expect(decided).toMatchObject([
      {
        gate_id: link.gate_id,
        kind: 'approve',
        by: 'oncall@example.test',
        channel: 'magic_link',
        note: 'looks right',
        roles: [],
        asserted: true,
      },
    ])
    expect((await linkRow(link.gate_id))?.used_at).not.toBeNull()
  })

  it('takes a rejection as well', async () => {
    const link = await sendTestLink(api)
    await approve(link, { decision: 'reject' })
    expect(decided).toMatchObject([{ kind: 'reject' }])
  })

  it('happens once: a second answer is refused, also of two at the same time', async () => {
    const link = await sendTestLink(api)
    const answers = await Promise.all([approve(link), approve(link), approve(link, { decision: 'reject' })])
    expect(answers.map(({ response }) => response.status).sort()).toEqual([200, 409, 409])
    expect((await approve(link)).response.status).toBe(409)
    expect(decided).toHaveLength(1)
    expect(await refusals(link.gate_id)).toEqual(['conflict', 'conflict', 'conflict'])
  })

  it('is good again when nothing was decided with it', async () => {
    const link = await sendTestLink(api)
    failure = Object.assign(new Error('away'), { code: 14, details: 'UNAVAILABLE' })
    expect((await approve(link)).response.status).toBe(503)
    failure = undefined
    expect((await approve(link)).response.status).toBe(200)
  })

  it('takes a choice: a missing one is never an approval', async () => {
    const link = await sendTestLink(api)
    for (const decision of ['', 'maybe']) {
      expect((await approve(link, { decision })).response.status).toBe(422)
    }
    expect(decided).toEqual([])
  })

  it('takes the nonce of the page together with the cookie of the same browser', async () => {
    const link = await sendTestLink(api)
    const mine = createTestBrowser(api)
    const theirs = createTestBrowser(api)
    const { nonce } = await mine.open(link.path)
    const fields = { decision: 'approve', code: link.code }
    expect((await theirs.submit(link.path, { ...fields, nonce })).response.status).toBe(403)
    await theirs.open(link.path)
    expect((await theirs.submit(link.path, { ...fields, nonce })).response.status).toBe(403)
    expect((await mine.submit(link.path, fields)).response.status).toBe(403)
    expect((await mine.submit(link.path, { ...fields, nonce: `x${nonce}` })).response.status).toBe(403)
    expect(decided).toEqual([])
    expect((await mine.submit(link.path, { ...fields, nonce })).response.status).toBe(200)
  })

  it('works where the link was forwarded to, for whoever has the code too', async () => {
    const link = await sendTestLink(api)
    const browser = createTestBrowser(api)
    const { nonce, response } = await browser.open(link.path)
    expect(response.status).toBe(200)
    expect((await browser.submit(link.path, { nonce, decision: 'approve' })).response.status).toBe(403)
    expect((await browser.submit(link.path, { nonce, decision: 'approve', code: link.code })).response.status).toBe(200)
  })

  it('ends after five wrong codes; what cannot be a code does not count', async () => {
    const link = await sendTestLink(api)
    const wrong = link.code === 'AAAAAA' ? 'BBBBBB' : 'AAAAAA'
    for (const code of ['', 'test', 'test@example.test', 'aaaaaaaaaaaa']) {
      expect((await approve(link, { code })).response.status).toBe(403)
    }
    expect((await linkRow(link.gate_id))?.wrong_codes).toBe(0)
    const tries = await Promise.all(Array.from({ length: 8 }, () => approve(link, { code: wrong })))
    expect(tries.map(({ response }) => response.status)).toEqual(Array.from({ length: 8 }, () => 403))
    expect((await linkRow(link.gate_id))?.wrong_codes).toBe(5)
    const right = await approve(link)
    expect([right.response.status, right.html]).toEqual([403, expect.stringContaining('Too many wrong codes')])
    expect(decided).toEqual([])
    expect(await refusals(link.gate_id)).toHaveLength(13)
  })

  it('is about one plan: another one is refused as a page that says so', async () => {
    const link = await sendTestLink(api, { plan_hash: `sha256:${'b'.repeat(64)}` })
    expect((await createTestBrowser(api).open(link.path)).html).toContain('plan has changed since this link was sent')
    const { response, html } = await approve(link)
    expect([response.status, html]).toEqual([409, expect.stringContaining('plan has changed since this link was sent')])
    expect([decided, await refusals(link.gate_id)]).toEqual([[], ['plan_changed']])
  })

  it('is about one gate: the next gate of the run is not decided by the link of the last', async () => {
    const run_id = await admitTestRun(api)
    const gate_id = await parkTestRun(api, run_id)
    const link = { run_id, gate_id, ...(await issueTestLink(api, gate_id)) }
    await resolve(gate_id)
    await parkTestRun(api, run_id, { step_id: 'evidence' })
    const { response, html } = await approve(link)
    expect([response.status, html]).toEqual([409, expect.stringContaining('Already decided by usr_first')])
    expect([decided, await refusals(gate_id)]).toEqual([[], ['gate_resolved']])
  })

  it('is shown, not refused, when it is decided already', async () => {
    const link = await sendTestLink(api)
    await resolve(link.gate_id)
    const { response, html } = await createTestBrowser(api).open(link.path)
    expect([response.status, html]).toEqual([
      200,
      expect.stringMatching(/Already decided by usr_first at 20\d\d-\d\d-\d\d \d\d:\d\d UTC: approved/),
    ])
    expect(html).not.toContain('<form')
  })

  it('comes from the page itself while nobody has to sign in: its browser hides the origin, another site cannot', async () => {
    const link = await sendTestLink(api)
    const { nonce } = (await (await api.get(link.path, JSON_ANSWER)).json()) as { nonce: string }
    const send = (site: string) =>
      api.post(
        link.path,
        { decision: 'approve', code: link.code },
        { origin: 'null', 'sec-fetch-site': site, 'x-svc-confirm': nonce },
      )
    expect((await send('cross-site')).status).toBe(403)
    expect((await send('same-site')).status).toBe(403)
    expect(decided).toEqual([])
    expect((await send('same-origin')).status).toBe(200)
  })

  it('says to programs what went wrong in problem documents', async () => {
    const link = await sendTestLink(api)
    const response = await api.post(link.path, { decision: 'approve', code: link.code }, JSON_ANSWER)
    expect([response.status, await response.json()]).toMatchObject([403, { code: 'forbidden' }])
  })
})

async function resolve(gateId: string): Promise<void> {
  await database.db`
    update gates set status = 'approved', resolved_at = now(), resolution = ${database.db.json({ by: 'usr_first' })}
    where id = ${gateId}`
}

describe('a program that decides in one request', () => {
  it('sends the nonce in a header that neither a link nor a form can set', async () => {
    const link = await sendTestLink(api)
    const { nonce } = (await (await api.get(link.path, JSON_ANSWER)).json()) as { nonce: string }
    const path = `${link.path}&decision=approve&note=done`
    expect((await api.get(path, { ...JSON_ANSWER, 'x-svc-code': link.code })).status).toBe(200)
    expect((await api.get(path, { ...JSON_ANSWER, 'x-svc-code': link.code, 'x-svc-confirm': 'x.y' })).status).toBe(403)
    expect((await api.get(path, { ...JSON_ANSWER, 'x-svc-confirm': nonce })).status).toBe(403)
    expect(decided).toEqual([])
    const response = await api.get(path, { ...JSON_ANSWER, 'x-svc-code': link.code, 'x-svc-confirm': nonce })
    expect([response.status, await response.json()]).toMatchObject([200, { gate_id: link.gate_id, resolved: true }])
    expect(decided).toMatchObject([{ kind: 'approve', note: 'done', channel: 'magic_link' }])
  })

  it('needs the nonce of this very link', async () => {
    const link = await sendTestLink(api)
    const other = await sendTestLink(api)
    const { nonce } = (await (await api.get(other.path, JSON_ANSWER)).json()) as { nonce: string }
    const headers = { ...JSON_ANSWER, 'x-svc-code': link.code, 'x-svc-confirm': nonce }
    expect((await api.get(`${link.path}&decision=approve`, headers)).status).toBe(403)
    expect(decided).toEqual([])
  })
})

describe('a rule that asks who decides', () => {
  it('shows an anonymous reader nothing but where a decision is requested', async () => {
    const link = await sendTestLink(api, { gate: ROLES })
    const { html } = await createTestBrowser(api).open(link.path)
    expect(html).toContain('incident/service-recovery')
    expect(html).not.toMatch(/restart|sha256:|run_|name="code"/)
    const body = await (await api.get(link.path, JSON_ANSWER)).json()
    expect(Object.keys(body as object).sort()).toEqual(['login_required', 'nonce', 'state', 'template', 'workspace'])
  })

  it('is not satisfied by the link and its code', async () => {
    for (const gate of [ROLES, { required: { approvals: 1, approval_roles: [], prevent_self: true } }]) {
      const link = await sendTestLink(api, { gate })
      const { nonce } = (await (await api.get(link.path, JSON_ANSWER)).json()) as { nonce: string }
      const headers = { ...JSON_ANSWER, 'x-svc-code': link.code, 'x-svc-confirm': nonce }
      expect((await api.get(`${link.path}&decision=approve`, headers)).status).toBe(401)
      expect(await refusals(link.gate_id)).toEqual(['unauthenticated'])
    }
    expect(decided).toEqual([])
  })
})

describe('signing in on the page of a link', () => {
  let guarded: TestApi
  let dba: UserRow
  let viewer: UserRow
  let foreign: UserRow

  beforeAll(async () => {
    guarded = await createTestApi(database, { secret: SECRET, services: { engine: api.deps.services.engine } })
    dba = await addUser(guarded.deps, { roles: ['approver'], approval_roles: ['dba'] })
    viewer = await addUser(guarded.deps)
    foreign = await addUser(guarded.deps, { roles: ['approver'], workspaces: [`ws_${'9'.repeat(26)}`] })
  })
  afterAll(() => guarded?.close())

  async function decide(link: TestLink, fields: Record<string, string>) {
    const browser = createTestBrowser(guarded)
    const { nonce } = await browser.open(link.path)
    return await browser.submit(link.path, { nonce, decision: 'approve', ...fields })
  }

  it('decides as whoever has signed in, with their roles', async () => {
    const link = await sendTestLink(guarded, { gate: ROLES })
    expect((await decide(link, { email: dba.email, password: PASSWORD })).response.status).toBe(200)
    expect(decided).toMatchObject([{ by: dba.id, channel: 'magic_link', asserted: false, auth: 'jwt' }])
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
    expect(decided).toEqual([])
    expect(await refusals(link.gate_id)).toHaveLength(5)
    expect((await decide(link, { email: dba.email, password: PASSWORD })).response.status).toBe(200)
  })

  it('shows the details to whoever has, and to nobody else', async () => {
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
    expect(decided).toEqual([])
  })

  it('goes by bearer token for a program', async () => {
    const link = await sendTestLink(guarded, { gate: ROLES })
    const { nonce } = (await (await guarded.get(link.path, JSON_ANSWER)).json()) as { nonce: string }
    const headers = { ...JSON_ANSWER, 'x-svc-confirm': nonce, ...(await bearer(guarded.deps, dba)) }
    expect((await guarded.get(`${link.path}&decision=approve`, headers)).status).toBe(200)
    expect(decided).toMatchObject([{ by: dba.id, asserted: false }])
  })

  it('is asked of everybody where several must agree: one person with two links is not two', async () => {
    const gate = { required: { approvals: 2, approval_roles: [], prevent_self: false } }
    const link = await sendTestLink(guarded, { gate })
    expect((await decide(link, { code: link.code })).response.status).toBe(401)
    expect(decided).toEqual([])
  })

  it('is not asked for where the rule does not: the code is enough', async () => {
    const link = await sendTestLink(guarded)
    expect((await decide(link, { code: link.code })).response.status).toBe(200)
    expect(decided).toMatchObject([{ by: 'oncall@example.test', asserted: true, roles: [] }])
  })
})

describe('the address of a link', () => {
  it('is that of the action workflow of its gate, also under its workspace', async () => {
    const link = await sendTestLink(api)
    expect(link.path.startsWith(`/triggers/approve/${actionWorkflowId(link.gate_id)}?token=`)).toBe(true)
    const own = await api.get(`/workspaces/ws_00000000000000000000000000${link.path}`)
    expect(own.headers.getSetCookie()[0]).toContain('Path=/workspaces/ws_00000000000000000000000000/triggers/approve;')
    expect((await api.get(`/workspaces/ws_11111111111111111111111111${link.path}`)).status).toBe(404)
  })
})
