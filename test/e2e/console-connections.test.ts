import type { Locator, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, inject, test, vi } from 'vitest'
import type { ConnectionRecord } from '#core/connection/schema.ts'
import type { McpToolRecord } from '#core/mcp/record-schema.ts'
import { type Canary, startCanary } from '#test/support/canary.ts'
import { looksSound } from '#test/support/console-looks.ts'
import { agree, openVisitors, type Visitors } from '#test/support/console-visitors.ts'
import { AUTH_ENV, createIdentities, type Identities, type Member } from '#test/support/identity.ts'
import { startMcpServer } from '#test/support/mcp-server.ts'
import { CLIENT_SECRET, startOauthProvider } from '#test/support/oauth-provider.ts'
import { PATIENCE } from '#test/support/patience.ts'
import { needs } from '#test/support/programs/needs.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

const TOKEN = 'a-token-that-nobody-else-has'
const WRONG = 'another-token-that-is-wrong'

let service: TestService
let target: Canary
let visitors: Visitors
let people: Identities
let owner: Member
/** every answer of the API to the pages of this file */
const answers: string[] = []

const call = <Body>(method: string, path: string, body?: unknown) =>
  service.call<Body>(method, path, body, owner.headers)
const stored = async (name: string) =>
  (await call<ConnectionRecord[]>('GET', '/ui/api/connections')).body.find((each) => each.name === name)
const pageOf = (name: string) => `/console/admin?part=connections&name=${name}`

async function open(who: Member, path: string): Promise<Page> {
  const page = await visitors.open(who, path)
  page.on('response', (answer) => {
    if (answer.url().includes('/ui/api/'))
      void answer
        .text()
        .then((text) => answers.push(text))
        .catch(() => undefined)
  })
  return page
}

/** Makes a connection to the target over the API. */
async function made(name: string): Promise<ConnectionRecord> {
  const draft = { name, kind: 'http', config: { base_url: `${target.url}/v1/`, test_path: 'me' }, secret: TOKEN }
  const { status, body } = await call<ConnectionRecord>('POST', '/ui/api/connections', draft)
  expect(status, JSON.stringify(body)).toBe(201)
  return body
}

async function press(within: Page | Locator, name: string): Promise<void> {
  await within.getByRole('button', { name, exact: true }).click()
}

describe('connections in the console', needs('chromium'), () => {
  beforeAll(async () => {
    target = await startCanary(({ headers }, response) => {
      response.statusCode = headers.authorization === `Bearer ${TOKEN}` ? 200 : 401
      response.end('WHAT THE TARGET SAYS')
    })
    service = await startTestService({
      postgres_url: inject('postgres_url'),
      temporal_address: inject('temporal_address'),
      env: { ...AUTH_ENV, SVC_SECRET_KEY: 'the master key of this test, 32 bytes and more' },
      workers: 0,
    })
    people = await createIdentities(service)
    owner = people.owner
    visitors = await openVisitors(service)
  })
  afterAll(async () => {
    await visitors?.close()
    await service?.stop()
    await target?.stop()
  })
  afterEach(async () => {
    expect(await visitors.leave()).toEqual([])
    const said = answers.splice(0).join()
    for (const text of [TOKEN, WRONG, 'WHAT THE TARGET SAYS']) expect(said).not.toContain(text)
  })

  test('are found by what people call them, and made with a test before they are saved', async () => {
    const page = await open(owner, '/console/runs')
    await page.keyboard.press('Control+k')
    const search = page.getByRole('combobox', { name: 'A page, a run, a gate, a pipeline, a person, an action' })
    for (const word of ['secrets', 'integrations', 'credentials']) {
      await search.fill(word)
      await page.getByRole('option', { name: 'Admin: Connections' }).waitFor()
    }
    await page.getByRole('option', { name: 'Admin: Connections' }).click()
    await page.getByText('There is no connection. Make one for').waitFor()
    await looksSound(page)
    await page.getByRole('link', { name: 'New connection' }).click()
    const form = page.getByRole('form', { name: 'New connection' })
    await form.getByRole('radio', { name: 'PostgreSQL database' }).check()
    await form.getByLabel('TLS').selectOption('verify-full')
    await form.getByRole('radio', { name: 'HTTP service' }).check()
    expect(await form.getByLabel('TLS').count()).toBe(0)

    await form.getByLabel(/^Name/).fill('Billing API')
    await press(form, 'Save')
    await form.getByRole('alert').getByText('a name of lower-case letters').waitFor()
    await form.getByLabel(/^Name/).fill('billing-api')
    await form.getByLabel(/^Base URL/).fill('billing')
    await press(form, 'Test')
    await form.getByText('an http or https url without').waitFor()
    await form.getByLabel(/^Base URL/).fill(`${target.url}/v1/`)
    await form.getByLabel(/^Path for tests/).fill('me')
    await press(form, 'Save')
    await form.getByRole('alert').getByText('Give the secret: this way to sign in needs one.').waitFor()
    await looksSound(page)

    const secret = form.getByLabel(/^Token/)
    expect([await secret.getAttribute('type'), await secret.inputValue()]).toEqual(['password', ''])
    const tested = form.getByRole('region', { name: 'Test' })
    await secret.fill(WRONG)
    await press(tested, 'Test')
    await tested.getByText('it answers 401: the credentials are not accepted').waitFor()
    await secret.fill(TOKEN)
    await tested.getByLabel('Under the egress rules of').selectOption('staging')
    await press(tested, 'Test')
    await tested.getByText(/In staging, after \d+ ms/).waitFor()
    await tested.getByText('failed', { exact: true }).waitFor()
    expect(target.requests).toHaveLength(1)
    await tested.getByLabel('Under the egress rules of').selectOption('development')
    await press(tested, 'Test')
    await tested.getByText('healthy', { exact: true }).waitFor()
    await looksSound(page)
    await press(form, 'Save')
    await page.getByRole('heading', { name: 'billing-api' }).waitFor()
    await page.getByText('it answers with success').waitFor()
    expect(await stored('billing-api')).toMatchObject({
      ...{ auth: 'bearer', status: 'healthy', version: 1, workspaces: ['default'] },
      config: { base_url: `${target.url}/v1/`, test_path: 'me' },
    })
    expect(await page.content()).not.toContain(TOKEN)
  })

  test('get another secret, and say at once whether it is accepted', async () => {
    const { secret } = await made('rotated')
    const page = await open(owner, pageOf('rotated'))
    const fingerprint = page.getByText(`set, fingerprint ${secret.fingerprint}`)
    await fingerprint.waitFor()
    await press(page, 'Replace secret')
    const form = page.getByRole('form', { name: 'Change rotated' })
    expect(await form.getByLabel(/^Token/).inputValue()).toBe('')
    await form.getByLabel(/^Token/).fill(WRONG)
    await press(form, 'Save')
    await page.getByText(/^2, each with another/).waitFor()
    expect(await fingerprint.count()).toBe(0)
    await press(page, 'Test now')
    await page.getByRole('region', { name: 'Test' }).getByText('it answers 401').waitFor()
    expect(await stored('rotated')).toMatchObject({ status: 'failed', version: 2 })

    await press(page, 'Change')
    await form.getByLabel(/^Base URL/).fill(`http://localhost:${target.port}/v1/`)
    await press(form, 'Save')
    await form.getByRole('alert').getByText('never sent to another address').waitFor()
    await form.getByLabel(/^Token/).fill(TOKEN)
    await press(form, 'Test')
    await form.getByText('healthy', { exact: true }).waitFor()
    await press(form, 'Save')
    await page.getByText(/^3, each with another/).waitFor()
    expect(await stored('rotated')).toMatchObject({ status: 'healthy', version: 3 })
  })

  test('lose no change of somebody else, and name the key that is lost', async () => {
    const { id } = await made('shared')
    const page = await open(owner, pageOf('shared'))
    await press(page, 'Change')
    const form = page.getByRole('form', { name: 'Change shared' })
    await form.getByLabel('all workspaces').check()
    await call('PATCH', `/ui/api/connections/${id}`, { config: { base_url: `${target.url}/v2/` }, secret: TOKEN })
    await press(form, 'Save')
    const conflict = page.getByRole('alert', { name: 'Somebody else has changed it in the meantime' })
    await conflict.getByText(`${target.url}/v2/`).waitFor()
    await conflict.getByText(`${target.url}/v1/`).waitFor()
    await looksSound(page)
    await press(conflict, 'Take theirs, discard mine')
    expect(await form.getByLabel(/^Base URL/).inputValue()).toBe(`${target.url}/v2/`)
    await form.getByLabel('all workspaces').check()
    await press(form, 'Save')
    await page.getByRole('button', { name: 'Change' }).waitFor()
    expect(await stored('shared')).toMatchObject({ workspaces: ['*'], config: { base_url: `${target.url}/v2/` } })

    await service.database.db`update connection_secrets set kid = 'lost-key' where connection_id = ${id}`
    await page.reload()
    await page.getByRole('alert').getByText('Its secret was sealed with key lost-key').waitFor()
    await looksSound(page)
  })

  test('are bound in an environment by their name, and deleted only when nothing refers to them', async () => {
    const { id } = await made('orders-api')
    const page = await open(owner, pageOf('orders-api'))
    await page.getByRole('button', { name: /orders-api: \{ kind: http, url: "connection:orders-api" \}/ }).waitFor()
    await page.getByRole('link', { name: 'All environments' }).click()
    await page.getByRole('link', { name: 'staging', exact: true }).click()
    const editor = page.getByRole('textbox', { name: 'YAML of the environment staging' })
    await editor.click()
    await page.keyboard.press('Control+a')
    await page.keyboard.insertText('name: staging\nconnections:\n  api: { kind: http, url: "conn')
    await vi.waitFor(async () => {
      const option = page.getByRole('option', { name: 'connection:orders-api' })
      if (!(await option.isVisible())) await page.keyboard.press('Control+Space')
      await option.click({ timeout: 1_000 })
    }, PATIENCE)
    await page.keyboard.insertText('" }\n')
    await press(page, 'Save')
    await page.getByText(/^Saved\./).waitFor()
    await page.getByRole('link', { name: 'All connections' }).click()
    const row = page.getByRole('table', { name: 'Connections' }).getByRole('row').filter({ hasText: 'orders-api' })
    await row.getByRole('link', { name: 'staging' }).waitFor()
    await row.getByText('as api').waitFor()
    await looksSound(page)
    await row.getByRole('link', { name: 'orders-api' }).click()
    await press(page, 'Test now')
    await page.getByText('it answers with success').first().waitFor()
    await looksSound(page, 'connection', true)

    await agree(page, page.getByRole('button', { name: 'Delete', exact: true }), 'Yes, delete it')
    const refusal = page.getByRole('alert').filter({ hasText: 'It cannot be deleted while' })
    await refusal.getByRole('link', { name: 'staging' }).waitFor()
    expect((await call('GET', `/ui/api/connections/${id}`)).status).toBe(200)
    expect((await call('PUT', '/ui/api/environments/staging', { name: 'staging' })).status).toBe(200)
    await agree(page, page.getByRole('button', { name: 'Delete', exact: true }), 'Yes, delete it')
    await row.waitFor({ state: 'detached' })
    await page.getByRole('table', { name: 'Connections' }).waitFor()
    expect((await call('GET', `/ui/api/connections/${id}`)).status).toBe(404)
  })

  test('to a server of tools have them found, accepted and taken back', async () => {
    const server = await startMcpServer({ token: TOKEN })
    const draft = { name: 'desk', kind: 'mcp', config: { url: server.url }, secret: TOKEN }
    const { body } = await call<{ id: string }>('POST', '/ui/api/connections', draft)
    const path = `/ui/api/connections/${body.id}/tools`
    const stateOf = async () =>
      (await call<McpToolRecord[]>('GET', path)).body.find(({ name }) => name === 'write')?.state
    const page = await open(owner, pageOf('desk'))
    const part = page.getByRole('region', { name: 'Tools', exact: true })
    await part.getByText('No tools have been found yet.').waitFor()
    await looksSound(page)
    await part.getByLabel('Under the egress rules of').selectOption('development')
    await press(part, 'Discover tools')
    const row = part.getByRole('listitem').filter({ hasText: 'Writes a text' })
    await row.locator('summary').click()
    await press(row, 'Accept as a write')
    await row.getByText('accepted as a write').waitFor()
    expect(await stateOf()).toBe('accepted')
    expect(await row.getByRole('button', { name: /^Accept/ }).count()).toBe(0)
    await looksSound(page)

    server.redefine('write', { title: 'Deletes' })
    await press(part, 'Discover tools')
    await row.getByText('title has changed').waitFor()
    await row.getByText('+ Deletes').waitFor()
    await looksSound(page)
    await press(row, 'Take back the acceptance')
    await row.getByText('new', { exact: true }).waitFor()
    expect(await row.getByRole('button', { name: 'Take back the acceptance' }).count()).toBe(0)
    expect([await stateOf(), server.written]).toEqual(['new', []])

    const approver = await people.add('tool-approver', { roles: ['approver'] })
    const other = await open(approver, pageOf('desk'))
    const shown = other.getByRole('region', { name: 'Tools', exact: true }).getByRole('listitem')
    await shown.filter({ hasText: 'Writes a text' }).locator('summary').click()
    expect(await other.getByRole('button', { name: /^(Discover|Accept|Take back)/ }).count()).toBe(0)
    const viewer = await people.add('tool-viewer', { roles: ['viewer'] })
    const least = await open(viewer, pageOf('desk'))
    await least.getByText('An environment refers to it by these two lines.').waitFor()
    expect(await least.getByRole('region', { name: 'Tools', exact: true }).count()).toBe(0)
    expect(await visitors.leave()).toEqual([])
    await server.stop()
  })

  test('are read by others without a button that would be refused', async () => {
    await made('read-only')
    const viewer = await people.add('viewer', { roles: ['viewer'] })
    const page = await open(viewer, '/console/admin?part=connections&create=1')
    const table = page.getByRole('table', { name: 'Connections' })
    await table.getByRole('link', { name: 'read-only' }).waitFor()
    expect(await page.getByRole('link', { name: 'New connection' }).count()).toBe(0)
    await table.getByRole('link', { name: 'read-only' }).click()
    await page.getByText('An environment refers to it by these two lines.').waitFor()
    expect(await page.getByRole('button', { name: /^(Change|Replace|Test|Delete)/ }).count()).toBe(0)
    await looksSound(page)
  })

  test('are authorised at a provider of another site, once, and say what came of it', async () => {
    const provider = await startOauthProvider({ redirect_uri: `${service.url}/oauth/callback`, host: 'localhost' })
    const draft = { name: 'crm', kind: 'http', auth: 'oauth2', secret: CLIENT_SECRET, config: provider.config() }
    expect((await call('POST', '/ui/api/connections', draft)).status).toBe(201)
    const page = await open(owner, pageOf('crm'))
    const part = page.getByRole('region', { name: 'Authorisation' })
    await part.getByText('Nobody has authorised it yet').waitFor()
    await looksSound(page)
    await press(part, 'Sign in at the provider')
    await page.waitForURL(/\/oauth\/callback\?/)
    const callback = page.url()
    await page.getByRole('link', { name: 'Open the connection in the console' }).click()
    await part.getByText('active', { exact: true }).waitFor()
    await part.getByText('openid, offline_access, read, write').waitFor()
    await part.getByText(owner.email).waitFor()
    await looksSound(page)
    await page.goto(callback)
    await page.getByText('This authorisation cannot be completed').waitFor()
    expect(await page.content()).not.toContain('code=')
    const asked = await visitors.leave()
    expect(asked.filter((each) => !each.startsWith(`asked ${provider.issuer}/`))).toEqual([])
    await provider.close()
  })

  test('that the command line has begun to authorise take its code on a page, whose form is ours', async () => {
    const provider = await startOauthProvider({ redirect_uri: `${service.url}/oauth/callback`, host: 'localhost' })
    const draft = { name: 'crm-2', kind: 'http', auth: 'oauth2', secret: CLIENT_SECRET, config: provider.config() }
    const made = await call<{ id: string }>('POST', '/ui/api/connections', draft)
    const started = await call<{ authorization_url: string; code: string }>(
      'POST',
      `/ui/api/connections/${made.body.id}/oauth/start`,
      { confirm: 'code' },
    )
    const page = await open(owner, pageOf('crm-2'))
    await page.goto(started.body.authorization_url)
    await page.waitForURL(/\/oauth\/callback\?/)
    const code = page.getByLabel('Code')
    await code.fill('BBBB-BBBB')
    await page.getByRole('button', { name: 'Authorise' }).click()
    await page.getByRole('alert').getByText('That is not the code').waitFor()
    await code.fill(started.body.code)
    await page.getByRole('button', { name: 'Authorise' }).click()
    await page.getByText('Steps can use the connection crm-2 now.').waitFor()
    const records = await service.database.db<{ actor: string }[]>`
      select draft -> 'actor' ->> 'id' as actor from audit_outbox where draft ->> 'action' = 'connection.code_refused'`
    expect(records).toEqual([{ actor: owner.id }])
    await visitors.leave()
    await provider.close()
  })
})
