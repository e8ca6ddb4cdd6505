import OpenAI from 'openai'
import { describe, expect, inject, it } from 'vitest'
import type { Effect } from '#core/policy/types.ts'
import { fileFixture } from '#test/support/file-fixture.ts'
import { itIsGuarded, sharedWorld } from '#test/support/guarded-operation.ts'
import { type ModelWorld, openModelWorld } from '#test/support/model-world.ts'
import { itRefuses, type Prepare } from '#test/support/refused-operation.ts'
import type { runDraft } from '#test/support/run-drafts.ts'
import { admitTestRun, finishTestRun } from '#test/support/test-runs.ts'
import { addApiKey, addUser } from '#test/support/users.ts'

itIsGuarded('createChatCompletion')

const FILES = {
  'environments/judged.yaml': 'name: judged\nclass: development\n',
  'environments/live.yaml': 'name: live\nclass: production\n',
  'environments/iced.yaml':
    'name: iced\nclass: development\nfreeze: [{ name: winter, interval: { from: "2020-01-01T00:00:00Z", to: "2099-01-01T00:00:00Z" }, scope: all }]\n',
  'environments/daily.yaml': 'name: daily\nclass: development\ncost_gate: { daily_usd: 0.15 }\n',
  'profiles/careful.yaml': 'name: careful\nrequires_approval: [llm.generate]\n',
  'profiles/frank.yaml': 'name: frank\nmodel_roles: { small: lies-high }\naudit: { model_texts: true }\n',
}
const HELLO = {
  model: 'default',
  messages: [{ role: 'user' as const, content: 'hello there, gateway' }],
  max_tokens: 20,
}

const world = fileFixture(() =>
  openModelWorld(inject('postgres_url'), {
    files: FILES,
    roles: {
      default: { model: 'echo' },
      judge: { model: 'busy', fallback: 'echo' },
      small: { model: 'busy', fallback: 'keyless' },
    },
    change: (models) => [
      ...models.map((each) => (each.id === 'slow' ? { ...each, prices: undefined } : each)),
      ...models
        .filter(({ id }) => id === 'echo')
        .map((each) => ({ ...each, id: 'keyless', key: 'env:SVC_NO_SUCH_KEY' })),
    ],
  }),
)

async function records(): Promise<Record<string, unknown>[]> {
  const rows = await world.database.db<{ draft: Record<string, unknown> }[]>`
    select draft from audit_outbox where draft ->> 'action' = 'model.called' order by id`
  return rows.map(({ draft }) => draft)
}
const run = (draft: Partial<Parameters<typeof runDraft>[0]> = {}) =>
  admitTestRun(world.api, { cap_micro_usd: 1_000_000, ...draft })
const forRun = (id: string) => ({ headers: { 'X-Svc-Run-Id': id } })
const books = async (id: string) => {
  const [row] = await world.database.db<{ spent: number; reserved: number }[]>`
    select llm_micro_usd as spent, reserved_micro_usd as reserved from runs where id = ${id}`
  return row
}

describe('the official client of OpenAI', () => {
  it('lists models', async () => {
    const ids = []
    for await (const { id } of await world.client.models.list()) ids.push(id)
    expect(ids).toEqual(expect.arrayContaining(['default', 'judge', 'echo']))
    expect(ids).not.toContain('slow')
  })

  it('chats, and is told the model and the cost', async () => {
    const { data, response } = await world.client.chat.completions.create(HELLO).withResponse()
    expect(data).toMatchObject({
      object: 'chat.completion',
      model: 'echo',
      choices: [{ index: 0, message: { role: 'assistant', content: 'hello there, gateway' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 6, completion_tokens: 5, total_tokens: 11 },
    })
    expect(response.headers.get('x-svc-model')).toBe('echo')
    // six in at 100 and five out at 1,000 dollars per million
    expect(response.headers.get('x-svc-cost-usd')).toBe('0.005600')
    expect((await world.calls()).at(-1)).toMatchObject({ state: 'settled', basis: 'reported', charged: 5_600 })
  })

  it.each([false, true])('is told no more than was reserved where it names no limit (streamed: %s)', async (stream) => {
    const { max_tokens: _limit, ...unlimited } = HELLO
    const messages = [{ role: 'user' as const, content: 'all is well, '.repeat(100) }]
    const answer = await world.client.chat.completions.create({ ...unlimited, messages, stream })
    const finishes: unknown[] = []
    if ('choices' in answer) finishes.push(answer.choices[0]?.finish_reason)
    else for await (const { choices } of answer) finishes.push(choices[0]?.finish_reason)
    // the model's limit of 100 tokens, and not the 325 that it would have said
    expect(finishes).toContain('length')
    expect((await world.calls()).at(-1)).toMatchObject({ basis: 'reported', charged: 32_600 + 100_000, overrun: 0 })
  })

  it('streams, with usage where it is asked for, and everything is settled when it has ended', async () => {
    const stream = await world.client.chat.completions.create({
      ...HELLO,
      stream: true,
      stream_options: { include_usage: true },
    })
    let text = ''
    let usage: unknown
    for await (const chunk of stream) {
      expect(chunk.object).toBe('chat.completion.chunk')
      text += chunk.choices[0]?.delta.content ?? ''
      if (chunk.usage) usage = [chunk.choices, chunk.usage.total_tokens]
    }
    expect(text).toBe('hello there, gateway')
    expect(usage).toEqual([[], 11])
    expect((await world.calls()).at(-1)).toMatchObject({ state: 'settled', basis: 'reported', charged: 5_600 })
    const raw = await fetch(`${world.url}/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...HELLO, stream: true }),
    })
    expect(raw.headers.get('content-type')).toContain('text/event-stream')
    expect(raw.headers.get('x-svc-model')).toBe('echo')
    const sent = await raw.text()
    expect(sent.endsWith('data: [DONE]\n\n')).toBe(true)
    expect(sent).not.toContain('usage')
  })

  it('lets the model call tools, whole and streamed, and hears what they said', async () => {
    const tools = [{ type: 'function' as const, function: { name: 'weather', parameters: { type: 'object' } } }]
    const asked = { ...HELLO, messages: [{ role: 'user' as const, content: '{"city":"Oslo"}' }], tools }
    const first = await world.client.chat.completions.create(asked)
    const call = first.choices[0]?.message.tool_calls?.[0]
    expect(first.choices[0]).toMatchObject({ finish_reason: 'tool_calls', message: { content: null } })
    expect(call).toMatchObject({ type: 'function', function: { name: 'weather', arguments: '{"city":"Oslo"}' } })
    const streamed = world.client.chat.completions.stream({ ...asked, stream: true })
    const final = await streamed.finalChatCompletion()
    expect(final.choices[0]?.message.tool_calls?.[0]).toMatchObject({
      function: { name: 'weather', arguments: '{"city":"Oslo"}' },
    })
    const answer = await world.client.chat.completions.create({
      ...asked,
      messages: [
        ...asked.messages,
        { role: 'assistant', content: null, tool_calls: call ? [call] : [] },
        { role: 'tool', tool_call_id: call?.id ?? '', content: 'rain' },
      ],
    })
    expect(answer.choices[0]?.message.content).toBe('rain')
  })

  it('asks for JSON of a schema', async () => {
    const schema = { type: 'object', properties: { answer: { type: 'string' } }, required: ['answer'] }
    const { choices } = await world.client.chat.completions.create({
      ...HELLO,
      response_format: { type: 'json_schema', json_schema: { name: 'reply', schema } },
    })
    expect(JSON.parse(choices[0]?.message.content ?? '')).toEqual({ answer: 'hello there, gateway' })
  })

  it('stops at a 402, which says what is in the way', async () => {
    const id = await run({ cap_micro_usd: 1_000 })
    const before = (await world.calls()).length
    const refused = await world.client.chat.completions.create(HELLO, forRun(id)).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(OpenAI.APIError)
    expect(refused).toMatchObject({ status: 402, code: 'budget_exceeded', type: 'insufficient_quota' })
    expect(String(refused)).toContain('the cap of the run: 0.001000 USD')
    expect((await world.calls()).length).toBe(before)
  })
})

describe('what a call is charged', () => {
  const charged = async (model: string, extra: object = {}) => {
    const before = (await world.calls()).length
    const outcome = await world.client.chat.completions.create({ ...HELLO, model, ...extra }, { maxRetries: 0 }).then(
      () => 200,
      (error: { status?: number }) => error.status,
    )
    return { outcome, calls: (await world.calls()).slice(before) }
  }

  it('is never more than was reserved: beyond that it is an overrun', async () => {
    const {
      outcome,
      calls: [call],
    } = await charged('lies-high')
    expect([outcome, call?.basis, call?.charged]).toEqual([200, 'reported', call?.reserved])
    expect(call?.overrun).toBeGreaterThan(1_000_000)
  })

  it.each(['lies-low', 'no-usage'])('is all that was reserved where %s cannot be believed', async (model) => {
    const { outcome, calls } = await charged(model)
    expect(outcome).toBe(200)
    expect(calls).toMatchObject([{ state: 'settled', basis: 'estimate' }])
    expect(calls[0]?.charged).toBe(calls[0]?.reserved)
  })

  it.each([
    ['refuses', 422, 1, 'unspent'],
    ['bad-key', 501, 1, 'unspent'],
    ['busy', 429, 2, 'unspent'],
    ['broken', 503, 2, 'estimate'],
    ['late', 503, 2, 'estimate'],
    ['cut', 503, 2, 'estimate'],
    ['hang', 503, 2, 'estimate'],
  ])('%s is answered with %i after %i attempts, each %s', async (model, status, attempts, basis) => {
    const { outcome, calls } = await charged(model)
    expect(outcome).toBe(status)
    expect(calls).toMatchObject(Array.from({ length: attempts }, () => ({ state: 'settled', basis })))
  })

  it('goes on after a refusal that passes, and to the fallback of a role', async () => {
    expect((await charged('busy-once')).calls).toMatchObject([{ basis: 'unspent' }, { basis: 'reported' }])
    const { outcome, calls } = await charged('judge')
    expect(outcome).toBe(200)
    expect(calls.map(({ model, basis }) => [model, basis])).toEqual([
      ['busy', 'unspent'],
      ['busy', 'unspent'],
      ['echo', 'reported'],
    ])
  })

  it('says what happened to the first model where its fallback has no key', async () => {
    const { outcome, calls } = await charged('small')
    expect(outcome).toBe((await charged('busy')).outcome)
    expect(calls.map(({ model }) => model)).toEqual(['busy', 'busy'])
  })

  it('is all of it when the answer is cut off, or anyone who reads it goes', async () => {
    const cut = await world.client.chat.completions.create({ ...HELLO, model: 'cut', stream: true })
    await expect(async () => {
      for await (const _chunk of cut);
    }).rejects.toThrow()
    expect((await world.calls()).at(-1)).toMatchObject({ model: 'cut', basis: 'estimate' })
    const left = new AbortController()
    const hanging = world.client.chat.completions.create(
      { ...HELLO, model: 'hang' },
      { signal: left.signal, maxRetries: 0 },
    )
    const before = world.upstream.received()['hang'] ?? 0
    await expect.poll(() => world.upstream.received()['hang']).toBeGreaterThan(before)
    left.abort()
    await expect(hanging).rejects.toThrow()
    await expect.poll(async () => (await world.calls()).at(-1)).toMatchObject({ model: 'hang', basis: 'estimate' })
    expect(await records()).toContainEqual(
      expect.objectContaining({ data: expect.objectContaining({ model: 'hang', outcome: 'aborted' }) }),
    )
  })
})

describe('a call for a run', () => {
  it('is paid by the run, whose events say so', async () => {
    const id = await run()
    await world.client.chat.completions.create(HELLO, forRun(id))
    expect(await books(id)).toEqual({ spent: 5_600, reserved: 0 })
    const events = await world.database.db<{ type: string; data: { usd: number } }[]>`
      select type, data from run_events where run_id = ${id} and type like 'budget.%' order by seq`
    expect(events.map(({ type }) => type)).toEqual(['budget.reserved', 'budget.settled'])
    expect(events[1]?.data).toMatchObject({ basis: 'reported', usd: 0.0056 })
  })

  it('is charged whole when its run ends before it does, and the run keeps nothing reserved', async () => {
    const id = await run()
    const left = new AbortController()
    const call = world.client.chat.completions
      .create({ ...HELLO, model: 'hang' }, { ...forRun(id), signal: left.signal, maxRetries: 0 })
      .catch(() => 'gone')
    await expect.poll(async () => (await books(id))?.reserved).toBeGreaterThan(0)
    const held = (await books(id))?.reserved
    await finishTestRun(world.api, id)
    expect(await books(id)).toEqual({ spent: held, reserved: 0 })
    left.abort()
    await call
    await expect.poll(async () => (await records()).filter(({ run_id }) => run_id === id).length).toBe(2)
    expect((await records()).filter(({ run_id }) => run_id === id)).toMatchObject([
      { data: { outcome: 'lost', basis: 'estimate' } },
      { data: { outcome: 'aborted', late: true } },
    ])
    expect(await books(id)).toEqual({ spent: held, reserved: 0 })
  })

  it.each(['', 'a'])('keeps texts that are cut within a character, so that the call is settled (%j)', async (shift) => {
    const id = await run({ profile: 'frank' })
    const messages = [{ role: 'user' as const, content: `${shift}${'🚒'.repeat(40_000)}` }]
    await world.client.chat.completions.create({ ...HELLO, model: 'echo', messages }, forRun(id))
    expect((await world.calls()).at(-1)).toMatchObject({ state: 'settled', basis: 'reported' })
    const { data } = (await records()).at(-1) as { data: { texts: { request: string } } }
    expect([data.texts.request.length, data.texts.request.isWellFormed()]).toEqual([65_536, true])
  })

  it('takes the roles of its profile, and leaves its texts where the profile says so', async () => {
    const id = await run({ profile: 'frank' })
    const { model } = await world.client.chat.completions.create({ ...HELLO, model: 'small' }, forRun(id))
    expect(model).toBe('lies-high')
    const [record] = (await records()).filter(({ run_id }) => run_id === id)
    expect(record).toMatchObject({
      category: 'model_call',
      data: {
        role: 'small',
        profile: 'frank',
        request_digest: expect.stringMatching(/^sha256:/),
        response_digest: expect.stringMatching(/^sha256:/),
        texts: { request: expect.stringContaining('hello there'), response: expect.stringContaining('hello there') },
      },
    })
    const others = (await records()).filter(({ run_id }) => run_id !== id)
    expect(JSON.stringify(others)).not.toContain('hello there')
  })
})

const asked =
  (draft: () => Promise<{ run?: string; body?: object }>): Prepare<ModelWorld> =>
  async () => {
    const { run: id, body } = await draft()
    return () =>
      world.api.post('/v1/chat/completions', { ...HELLO, ...body }, id === undefined ? {} : { 'x-svc-run-id': id })
  }

async function judged(effect: Effect) {
  world.judge(effect)
  return { run: await run({ environment: 'judged' }) }
}

itRefuses('createChatCompletion', () => world, [
  [402, 'BudgetExceeded', asked(async () => ({ run: await run({ cap_micro_usd: 1_000 }) }))],
  [403, 'policy_denied', asked(() => judged('deny'))],
  [409, 'needs_approval', asked(() => judged('require_hitl'))],
  [409, 'needs_approval', asked(async () => ({ run: await run({ environment: 'live' }) }))],
  [409, 'needs_approval', asked(async () => ({ run: await run({ profile: 'careful' }) }))],
  [403, 'frozen', asked(async () => ({ run: await run({ environment: 'iced' }) }))],
  [
    423,
    'halted',
    asked(async () => {
      await world.database.db`
        insert into halts (id, environment, reason, set_by) values (${`halt_${'0'.repeat(26)}`}, 'daily', 'a drill', '{}')`
      return { run: await run({ environment: 'daily' }) }
    }),
  ],
  [
    409,
    'run_terminal',
    asked(async () => {
      const id = await run()
      await finishTestRun(world.api, id)
      return { run: id }
    }),
  ],
  [404, 'not_found', asked(async () => ({ run: `run_${'7'.repeat(26)}` }))],
  [501, 'not_configured', asked(async () => ({ body: { model: 'slow' } }))],
])

it('says of a model that there is not which name that was', async () => {
  const answer = await world.api.post('/v1/chat/completions', { ...HELLO, model: 'gpt-9' })
  expect([answer.status, await answer.json()]).toEqual([
    404,
    {
      error: {
        message: expect.stringContaining('"gpt-9"'),
        type: 'invalid_request_error',
        param: 'model',
        code: 'model_not_found',
      },
    },
  ])
})

it('has its own format for what no route answers', async () => {
  const answer = await world.api.get('/v1/embeddings')
  expect([answer.status, await answer.json()]).toMatchObject([404, { error: { code: 'not_found' } }])
})

it('holds what a key may spend a day, over all its calls', async () => {
  const { api } = await sharedWorld()
  const { id } = await addUser(api.deps, { roles: ['service'] })
  const key = await addApiKey(api.deps, id, { scopes: ['models:call'], daily_cap_micro_usd: 200_000 })
  const call = () => api.post('/v1/chat/completions', HELLO, key.headers)
  const answers: number[] = []
  for (let n = 0; n < 40 && !answers.includes(402); n += 1) answers.push((await call()).status)
  const [row] = await api.db<{ spent: number; reserved: number }[]>`
    select day_spent_micro_usd as spent, day_reserved_micro_usd as reserved from api_keys where id = ${key.id}`
  expect(answers.filter((status) => status === 200).length).toBeGreaterThan(5)
  expect(answers.at(-1)).toBe(402)
  expect(row).toEqual({ spent: 5_600 * (answers.length - 1), reserved: 0 })
})

it('says in one sentence how to bind a model where none is', async () => {
  const bare = await openModelWorld(inject('postgres_url'), { change: () => [] })
  const answer = await bare.api.post('/v1/chat/completions', HELLO)
  expect([answer.status, answer.headers.get('x-should-retry')]).toEqual([501, 'false'])
  expect(await answer.json()).toMatchObject({
    error: { code: 'not_configured', message: expect.stringContaining('models.yaml') },
  })
  expect(await (await bare.api.get('/v1/models')).json()).toEqual({ object: 'list', data: [] })
  await bare.close()
})
