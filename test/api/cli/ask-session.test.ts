import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest'
import { createSession } from '#cli/ask/session.ts'
import { createApiClient } from '#cli/client/api-client.ts'
import { startModelServer } from '#cli/dev/model-server.ts'
import type { ScriptedTurn } from '#cli/dev/scripted-answer.ts'
import { calls } from '#test/support/ask-world.ts'
import { fileFixture } from '#test/support/file-fixture.ts'
import { openPlanningWorld, type PlanningWorld } from '#test/support/planning-world.ts'
import { scriptedModels } from '#test/support/scripted-models.ts'

const url = 'http://127.0.0.1:8080/act'
const propose = (inputs: object, more: object = {}) =>
  calls(['propose_run', { template: 'asked/act', inputs, ...more }])

let world: PlanningWorld
let play: ScriptedTurn[]
let round: number

const upstream = fileFixture(() =>
  startModelServer({ script: () => play[Math.min(round++, play.length - 1)] ?? { say: '' } }),
)
beforeAll(async () => {
  const bound = scriptedModels(upstream.url, { default: { model: 'script' } })
  const cheap = { prices: { input: 50_000, output: 400_000 }, limits: { context: 200_000, output: 2_000 } }
  const models = { ...bound, models: bound.models.map((each) => ({ ...each, ...cheap, timeout_ms: 20_000 })) }
  world = await openPlanningWorld(inject('postgres_url'), { models, ask: {} })
})
beforeEach(() => {
  world.judge(undefined)
  plays({ say: '' })
})
afterAll(() => world?.close())

function plays(...turns: ScriptedTurn[]): void {
  play = turns
  round = 0
}

const svc = (...args: string[]) => world.svc(args)

function openSession(json = false, thread?: string) {
  const lines: string[] = []
  const api = createApiClient({ url: world.url, workspace: undefined, token: async () => undefined })
  const write = (line: string) => void lines.push(line)
  const session = createSession({ api, json, workspace: undefined, thread, out: write, err: write })
  return {
    session,
    lines,
    async says(line: string, signal = new AbortController().signal) {
      lines.length = 0
      expect(await session.take(line, signal)).toBe('continue')
      return lines.join('\n')
    },
  }
}

describe('svc ask run', () => {
  test('prints the very plan of the planner for what a model found, and starts nothing', async () => {
    const before = await world.runs()
    plays(propose({ url, text: 'hi' }, { environment: 'live' }), { say: 'This tells it.[^t1]' })
    const resolved = await svc('ask', 'run', 'say hi to the service', '--json')
    expect(resolved.code).toBe(0)
    const planned = await svc(
      'ask',
      'plan',
      'asked/act',
      '-i',
      `url=${url}`,
      '-i',
      'text=hi',
      '--environment',
      'live',
      '--json',
    )
    expect(resolved.stdout).toBe(planned.stdout)
    plays(propose({ url, text: 'hi' }, { environment: 'live' }), { say: 'This tells it.[^t1]' })
    const shown = await svc('ask', 'run', 'say hi to the service', '--profile', 'careful', '--model', 'script')
    expect(shown.stdout).toMatch(/^This tells it\.\[1\]\n {2}\[1\] propose_run /)
    expect(shown.stdout).toContain(`svc run asked/act -i text=hi -i url=${url} --environment live --profile careful`)
    expect(await world.runs()).toBe(before)
  })

  test('ends with another status where an input is missing, a policy refuses it or nothing fits', async () => {
    plays(propose({}), { say: 'This needs an address.[^t1]' })
    const missing = await svc('ask', 'run', 'tell it')
    expect([missing.code, missing.stdout]).toEqual([1, expect.stringContaining('not runnable: missing url')])
    plays(propose({ url }, { environment: 'shut' }), { say: 'There.[^t1]' })
    expect((await svc('ask', 'run', 'tell it')).code).toBe(1)
    plays({ say: 'I would just run rm -rf for you.' })
    const nothing = await svc('ask', 'run', 'make coffee', '--json')
    expect([nothing.code, nothing.stdout, JSON.parse(nothing.stderr)]).toEqual([
      66,
      '',
      expect.objectContaining({ code: 'not_found', detail: expect.stringContaining('no answer that rests') }),
    ])
    plays(calls(['list_runs', {}]), { say: 'Coffee is nothing that runs.[^t1]' })
    expect((await svc('ask', 'run', 'make coffee')).stderr).toBe(
      'Nothing was proposed to run. The answer was: Coffee is nothing that runs.\n',
    )
    const unknown = await svc('ask', 'run', 'tell it', '--model', 'scirpt')
    expect([unknown.code, unknown.stderr]).toEqual([64, expect.stringContaining('did you mean script?')])
  })
})

describe('svc ask', () => {
  test('numbers what an answer cites, opens it, and keeps the thread until a new one', async () => {
    const { session, says } = openSession()
    plays(calls(['list_runs', {}], ['list_gates', {}]), { say: 'Nobody waits.[^t2] Nothing runs.[^t1]' })
    const answer = await says('what now?')
    expect(answer).toContain('looked up list_runs /runs?limit=10')
    expect(answer).toContain('Nobody waits.[1] Nothing runs.[2]')
    expect(answer).toMatch(/ {2}\[1\] list_gates .*\n {2}\[2\] list_runs /)
    expect(await says('/open 2')).toBe(JSON.stringify(await (await world.api.get('/runs?limit=10')).json(), null, 2))
    expect(await says('/open 3')).toContain('nothing to open under 3')

    const first = session.thread()
    plays(calls(['list_runs', {}]), { say: 'Still nothing.[^t1]' })
    await says('and now?')
    expect(session.thread()).toBe(first)
    expect(await says('/thread')).toMatch(/> what now\?\n[\s\S]*> and now\?\nStill nothing\.\[1\]/)
    expect((await openSession(false, first).says('/open 1')).split('\n')[0]).toBe('[]')
    await says('/new')
    expect(session.thread()).toBeUndefined()
    expect(await says('/thread')).toContain('has no question yet')
    expect(await says('/open 1')).toContain('nothing to open')
    await says('something else')
    expect(session.thread()).not.toBe(first)
    expect(await says('/what')).toContain('/open <n>')
    expect(await session.take('/quit', new AbortController().signal)).toBe('quit')
  })

  test('links to the page of a run that it opens', async () => {
    const { says } = openSession()
    const plan = await svc('ask', 'plan', 'asked/note', '-i', 'text=a', '--json')
    const { stdout } = await world.svc(['run', '--plan', '-', '--detach'], plan.stdout)
    const id = stdout.trim()
    plays(calls(['get_run', { run_id: id }]), { say: `It is queued: ${id}.[^t1]` })
    expect(await says('how is it?')).toContain(`It is queued: ${id}.[1]`)
    expect(await says('/open 1')).toMatch(new RegExp(`"id": "${id}"[\\s\\S]*${world.url}/runs/${id}$`))
  })

  test('shows what could be run with the command, no matter what is said of it, and never runs it', async () => {
    const { says } = openSession()
    const before = await world.runs()
    plays(propose({ url, text: '$(reboot)\u001b[2J' }), { say: 'I have started it: `svc run asked/act`.[^t1]' })
    const answer = await says('run it now, I allow it')
    expect(answer).toContain('what can be run; nothing was started:')
    expect(answer).toContain(`-i 'text="$(reboot)\\u001b[2J"'`)
    for (const raw of ['\u001b', '\u202e']) expect(answer).not.toContain(raw)
    expect(await world.runs()).toBe(before)
  })

  test('ends a turn that is given up, tells what is refused, and goes on', async () => {
    const { session, lines, says } = openSession()
    const gone = new AbortController()
    plays({ say: '' })
    const turn = session.take('what now?', gone.signal)
    gone.abort()
    expect(await turn).toBe('continue')
    expect(lines.join('\n')).toContain('stopped')
    expect(await says('x'.repeat(4_001))).toContain('validation_failed')
    plays(calls(['list_runs', {}]), { say: 'Nothing.[^t1]' })
    expect(session.status()).toBe(64)
    expect(await says('and now?')).toContain('Nothing.[1]')
    plays({ say: 'Paris.' })
    await says('what is the capital of France?')
    expect([session.status(), openSession().session.status()]).toEqual([1, 0])
  })

  test('answers one question, and says by its status whether that rests on anything', async () => {
    plays(calls(['list_runs', {}]), { say: 'Nothing runs.[^t1]' })
    const one = await svc('ask', 'what runs?', '--json')
    expect([one.code, JSON.parse(one.stdout)]).toEqual([
      0,
      expect.objectContaining({ grounded: true, answer: 'Nothing runs.[^t1]' }),
    ])
    plays({ say: 'Paris.' })
    const other = await svc('ask', 'what is the capital of France?')
    expect([other.code, other.stdout]).toEqual([1, expect.stringContaining('not grounded')])
    for (const word of ['rnu', 'paln', ' ']) expect((await svc('ask', word)).code, word).toBe(64)
  })
})
