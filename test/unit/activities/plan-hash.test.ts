import { afterEach, describe, expect, it } from 'vitest'
import type { JsonObject } from '#core/json/json.ts'
import { defineOperator, type Operator, OperatorError } from '#core/operator.ts'
import { type Canary, startCanary } from '#test/support/canary.ts'
import { type GatedStep, gatedStep } from '#test/support/gated-step.ts'

const started: Canary[] = []
const canary: typeof startCanary = async (answer) => {
  const one = await startCanary(answer)
  started.push(one)
  return one
}
afterEach(async () => {
  await Promise.all(started.splice(0).map((one) => one.stop()))
})

const CURIOUS: Operator = {
  id: 'test.curious',
  version: 1,
  title: 'Curious',
  risk: 'low',
  action_type: 'test.write',
  capabilities: [],
  requires_approval: true,
  parse: (input) => input,
  input_schema: {},
  replay: () => 'safe',
  describe: () => ({ summary: 'look', targets: { kind: 'test', ids: [] } }),
  execute: async () => ({ outputs: {} }),
}

const SQL = { connection: 'main', sql: 'delete from item' }
const MAIN = 'postgres://ops:s3cret@db.test:5432/shop'

const hashOf = async (step: GatedStep) => (await step.ask())?.plan_hash
const sqlStep = (url = MAIN, rest: Partial<Parameters<typeof gatedStep>[0]> = {}) =>
  gatedStep({ operator: 'postgres.execute', input: SQL, connections: { main: url }, ...rest })
const post = (input: JsonObject, rest: Partial<Parameters<typeof gatedStep>[0]> = {}) =>
  gatedStep({ operator: 'http.request', input: { method: 'POST', ...input }, ...rest })

describe('the plan hash', () => {
  it('is the same for the same operation', async () => {
    expect(await hashOf(sqlStep())).toBe(await hashOf(sqlStep()))
  })

  it.each([
    ['host', 'postgres://ops:s3cret@other.test:5432/shop'],
    ['port', 'postgres://ops:s3cret@db.test:5433/shop'],
    ['database', 'postgres://ops:s3cret@db.test:5432/ledger'],
    ['user', 'postgres://root:s3cret@db.test:5432/shop'],
    ['settings', 'postgres://ops:s3cret@db.test:5432/shop?options=-csearch_path%3Dother'],
  ])('changes with the %s of the connection, with and without a key', async (_what, url) => {
    expect(await hashOf(sqlStep(url))).not.toBe(await hashOf(sqlStep()))
    const bare = { key: undefined }
    expect(await hashOf(sqlStep(url, bare))).not.toBe(await hashOf(sqlStep(MAIN, bare)))
  })

  it('changes with the secret of the connection, and with the key that commits to it', async () => {
    const other = MAIN.replace('s3cret', 's3cret2')
    expect(await hashOf(sqlStep(other))).not.toBe(await hashOf(sqlStep()))
    expect(await hashOf(sqlStep(MAIN, { key: 'another master key, also 32 bytes and more' }))).not.toBe(
      await hashOf(sqlStep()),
    )
    // without a key there is nothing to commit with, and a hash of the secret itself could be guessed
    expect(await hashOf(sqlStep(other, { key: undefined }))).toBe(await hashOf(sqlStep(MAIN, { key: undefined })))
  })

  it('changes with what the environment may reach, and not with the order in which that is written', async () => {
    const hash = await hashOf(sqlStep(MAIN, { egress: ['10.0.0.0/8', 'loopback'] }))
    expect(await hashOf(sqlStep(MAIN, { egress: ['loopback', '10.0.0.0/8'] }))).toBe(hash)
    expect(await hashOf(sqlStep(MAIN, { egress: ['loopback'] }))).not.toBe(hash)
  })

  it('is that of the request as it is sent, not of its spelling', async () => {
    const hash = await hashOf(post({ url: 'http://h.test/restart' }))
    expect(await hashOf(post({ url: 'http://h.test/safe/../restart' }))).toBe(hash)
    expect(await hashOf(post({ url: 'http://h.test/safe%2f../restart' }))).not.toBe(hash)
  })

  it('is over what is sent, not over what is shown of it', async () => {
    const hashes = await Promise.all(
      ['pay\u202elbon', 'pay\\u{202e}lbon', 'paylbon'].map((body) => hashOf(post({ url: 'http://h.test/', body }))),
    )
    expect(new Set(hashes).size).toBe(3)
  })
})

describe('a connection', () => {
  it('is the only one that the operator gets', async () => {
    const curious = defineOperator<JsonObject>({
      ...CURIOUS,
      connection: () => 'mine',
      execute: async (ctx) => ({
        outputs: { mine: (await ctx.connection('mine')).kind, other: (await ctx.connection('other')).kind },
      }),
    })
    const connections = { mine: 'http://mine.test/', other: 'http://other.test/' }
    const step = gatedStep({ operator: curious, input: {}, connections })
    await step.ask()
    step.approve()
    await expect(step.ask()).rejects.toThrow('step act names no connection other')
  })

  it('gives its credentials away neither in what is shown nor through a target that echoes them', async () => {
    const target = await canary((request, response) => response.end(JSON.stringify(request.headers)))
    const url = credited(target.url, 'hard-to-guess')
    const step = post({ url: '/echo', connection: 'api' }, { connections: { api: url } })
    const pending = await step.ask()
    expect(pending?.plan.command).toContain("-H 'authorization: <secret:api>'")
    step.approve()
    await step.ask()
    expect(target.requests[0]?.headers.authorization).toBe(
      `Basic ${Buffer.from('svc:hard-to-guess').toString('base64')}`,
    )
    const reported = JSON.stringify([pending, step.patches, step.settled()])
    expect(reported).toContain('<secret:api>')
    expect(reported).not.toContain('hard-to-guess')
    expect(reported).not.toContain(Buffer.from('svc:hard-to-guess').toString('base64'))
  })

  it.each([
    ['with a space before it', (url: string) => ` ${url}`],
    ['in capitals', (url: string) => url.replace('http:', 'HTTP:')],
  ])('nor where its url is spelt %s and the target reads the password out', async (_how, spelt) => {
    const target = await canary((request, response) => {
      const [scheme, given = ''] = (request.headers.authorization ?? '').split(' ')
      response.end(`${scheme} ${Buffer.from(given, 'base64').toString()}`)
    })
    const api = spelt(credited(target.url, 'hard-to-guess'))
    const step = post({ url: '/echo', connection: 'api' }, { connections: { api } })
    await step.ask()
    step.approve()
    await step.ask()
    expect(JSON.stringify(step.settled())).toContain('Basic svc:<secret:api>')
  })

  it('says when a statement runs without a transaction, in the words that every surface shows', async () => {
    const step = sqlStep(MAIN, { input: { ...SQL, transaction: false } })
    expect((await step.ask())?.plan.summary).toContain(', without a transaction; takes RowExclusiveLock: ')
    expect((await sqlStep().ask())?.plan.summary).not.toContain('transaction')
  })
})

it.each([
  ['high', 'high'],
  ['low', 'medium'],
] as const)(
  'a gate of a template with %s risk whose operator has medium risk is shown with %s',
  async (risk, shown) => {
    const step = gatedStep({ operator: { ...CURIOUS, risk: 'medium' }, input: {}, risk })
    expect((await step.ask())?.operation.risk).toBe(shown)
  },
)

it.each([
  ['workspace', { workspace: 'ws_0000000000000000000000000z' }],
  ['template', { template: `sha256:${'1'.repeat(64)}` }],
  ['step', { step: 'act_again' }],
])('the same input in another %s is another plan', async (_what, place) => {
  const hashes = [{}, place].map((each) => hashOf(gatedStep({ operator: CURIOUS, input: {}, place: each })))
  const [here, there] = await Promise.all(hashes)
  expect(here).toMatch(/^sha256:/)
  expect(there).not.toBe(here)
})

it('another version of the operator is another plan', async () => {
  const hashes = [1, 2].map((version) => hashOf(gatedStep({ operator: { ...CURIOUS, version }, input: {} })))
  const [first, second] = await Promise.all(hashes)
  expect(first).not.toBe(second)
})

describe('while a gate is open', () => {
  it('a connection that leads elsewhere opens another gate, which shows where, and nothing is sent', async () => {
    const [first, second] = [await canary(), await canary()]
    const step = post({ url: '/restart', connection: 'api' }, { connections: { api: first.url } })
    const before = await step.ask()
    step.connections['api'] = second.url
    step.approve()
    const after = await step.ask()
    expect(after).toMatchObject({ because: expect.arrayContaining(['plan_changed']) })
    expect(before?.operation.connection?.host).toBe(new URL(first.url).host)
    expect(after?.operation.connection?.host).toBe(new URL(second.url).host)
    expect(after?.plan_hash).not.toBe(before?.plan_hash)
    expect([first.connections(), second.connections()]).toEqual([0, 0])
    step.approve()
    expect(await step.ask()).toBeUndefined()
    expect([first.requests.length, second.requests.length]).toEqual([0, 1])
  })

  it.each([
    [
      'its credentials',
      (step: GatedStep, url: string) => Object.assign(step.connections, { api: credited(url, 'new') }),
    ],
    ['what may be reached', (step: GatedStep) => step.environment.egress.push('10.0.0.0/8')],
  ])('a change of %s opens another gate', async (_what, change) => {
    const target = await canary()
    const step = post({ url: '/restart', connection: 'api' }, { connections: { api: credited(target.url, 'old') } })
    await step.ask()
    change(step, target.url)
    step.approve()
    expect(await step.ask()).toMatchObject({ because: expect.arrayContaining(['plan_changed']) })
    expect(target.connections()).toBe(0)
  })

  it('a connection that is gone ends the step with a word about it, and nothing is sent', async () => {
    const target = await canary()
    const step = post({ url: '/restart', connection: 'api' }, { connections: { api: target.url } })
    await step.ask()
    delete step.connections['api']
    step.approve()
    await expect(step.ask()).rejects.toThrow('there is no connection api')
    expect(target.connections()).toBe(0)
  })
})

function credited(url: string, password: string): string {
  return url.replace('://', `://svc:${password}@`)
}

it('a repetition is judged by the environment as it stands then, not as it stood when the run was taken up', async () => {
  const attempts: number[] = []
  const failing: Operator = {
    ...CURIOUS,
    async execute({ attempt }) {
      attempts.push(attempt)
      step.environment.egress = []
      throw new OperatorError('unreachable', 'nobody answers', { retryable: true })
    },
  }
  const step: GatedStep = gatedStep({ operator: failing, input: {}, attempts: 3 })
  await step.ask()
  step.approve()
  expect((await step.ask())?.because).toContain('plan_changed')
  expect(attempts).toEqual([1])
})
