import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { type DemoService, startDemoService } from '#cli/demo/demo-server.ts'
import { KEY, openTerminal, runCli } from '#test/support/cli.ts'
import { ended, eventsOf, parkRun } from '#test/support/recovery.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

const UNKNOWN = 'run_00000000000000000000000000'
const HASH = `sha256:${'0'.repeat(64)}`
const TEMPLATE = 'sre/service-recovery'
/** what clears the screen and what turns the direction of text */
const HOSTILE = 'all fine\u001b[2J\u001b[1;1H\u202egnihton\u0007'
const MASTER_KEY = 'the master key of this installation'
const UNSAFE = /[\p{Cc}\p{Cf}]/u

let service: TestService
let demo: DemoService
let env: Record<string, string>
let names = 0

beforeAll(async () => {
  service = await startTestService({
    postgres_url: inject('postgres_url'),
    temporal_address: inject('temporal_address'),
    // as `npm start` keeps it: who can read it is a program of this installation
    files: { 'secret.key': MASTER_KEY },
    env: { SVC_SECRET_KEY: MASTER_KEY },
  })
  demo = await startDemoService()
  env = { SVC_URL: service.url, SVC_HOME: service.home, HOME: service.home }
})
afterAll(async () => {
  await demo.stop()
  await service.stop()
})

async function breakDemo(): Promise<void> {
  await fetch(`${demo.url}/fault`, { method: 'POST' })
}

async function park(): Promise<string> {
  await breakDemo()
  names += 1
  return parkRun(service, demo, `cli-${names}`)
}

const remote = (...args: string[]) => runCli(['remote', ...args], { env })
const run = (...args: string[]) => runCli(['run', TEMPLATE, '-i', `url=${demo.url}`, ...args], { env })

describe('remote approve and reject', () => {
  test('shows what is approved, approves exactly that, and says that it came from the command line', async () => {
    const id = await park()
    const { code, stdout } = await remote('approve', id)
    expect(code).toBe(0)
    expect(stdout).toContain(`To be approved: POST ${demo.url}/restart`)
    expect(stdout).toMatch(/plan hash {2}sha256:[0-9a-f]{64}/)
    expect(stdout).toContain('approved (1 of 1 approvals)')
    expect((await ended(service, id)).status).toBe('succeeded')
    const decision = (await eventsOf(service, id)).find((event) => event.type === 'gate.decision')
    expect(decision?.data).toMatchObject({ decision: 'approve', channel: 'cli' })
  })

  test('is on record as what it proves to be: a program that only says so is the api', async () => {
    const id = await park()
    const claimed = { 'x-svc-channel': 'console', authorization: 'Bearer eyJ.not.ours' }
    const { status, body } = await service.call('POST', `/runs/${id}/resume`, { decision: 'approve' }, claimed)
    expect({ status, body }).toMatchObject({ status: 200, body: { channel: 'api' } })
    // what it restarts is broken again for the next
    await ended(service, id)
    const another = await park()
    const stranger = { ...env, SVC_HOME: '/nowhere' }
    const { stdout } = await runCli(['remote', 'approve', another, '--json'], { env: stranger })
    expect(JSON.parse(stdout)).toMatchObject({ decision: 'approve', channel: 'api' })
    await ended(service, another)
  })

  test('rejects with a note, in the name of somebody, and answers JSON for programs', async () => {
    const id = await park()
    const { code, stdout } = await remote('reject', id, '--note', 'not today', '--as', 'alice', '--json')
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({
      run_id: id,
      status: 'rejected',
      decision: 'reject',
      resolved: true,
      resolved_by: 'alice',
      channel: 'cli',
      plan: { summary: `POST ${demo.url}/restart` },
    })
    expect((await ended(service, id)).status).toBe('rejected')
    const decision = (await eventsOf(service, id)).find((event) => event.type === 'gate.decision')
    expect(decision?.data).toMatchObject({ note: 'not today' })
  })

  test('another plan than the named one is not approved (4), nor is what nobody waits for (3)', async () => {
    const id = await park()
    expect(await remote('approve', id, '--plan-hash', HASH)).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('plan_changed'),
    })
    expect((await remote('approve', id)).code).toBe(0)
    await ended(service, id)
    expect(await remote('approve', id)).toMatchObject({ code: 3, stderr: expect.stringContaining('run_not_awaiting') })
  })

  test('answers several runs, each by its own plan, and says of each what became of it', async () => {
    const [first, decided, last] = [await park(), await park(), await park()]
    expect((await remote('reject', decided)).code).toBe(0)
    const text = await remote('reject', first, decided, last, first, '--note', 'one storm')
    expect(text.code).toBe(3)
    const results = text.stdout.split('\n').filter((line) => line.startsWith('run_'))
    expect(results).toEqual([
      `${first}  answered`,
      expect.stringMatching(`^${decided}  refused  .*run_not_awaiting`),
      `${last}  answered`,
    ])
    for (const id of [first, last]) {
      expect((await ended(service, id)).status).toBe('rejected')
      const decisions = (await eventsOf(service, id)).filter(({ type }) => type === 'gate.decision')
      expect(decisions).toMatchObject([{ data: { decision: 'reject', note: 'one storm' } }])
    }
    const [a, b] = [await park(), await park()]
    const json = await remote('reject', a, b, decided, '--json')
    expect(json.code).toBe(3)
    const lines = json.stdout.trim().split('\n')
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { run_id: a, decision: 'reject', plan_hash: expect.stringMatching(/^sha256:/) },
      { run_id: b, decision: 'reject', plan_hash: expect.stringMatching(/^sha256:/) },
      { run_id: decided, code: 'run_not_awaiting', status: 409 },
    ])
  })

  test('answers nothing of several if one is unknown, or if a flag is about one run', async () => {
    const id = await park()
    expect((await remote('approve', id, UNKNOWN.slice(0, 12))).code).toBe(66)
    expect((await remote('approve', id, UNKNOWN, '--watch')).code).toBe(64)
    expect((await remote('approve', id, UNKNOWN, '--plan-hash', HASH)).code).toBe(64)
    expect((await remote('reject', id)).code).toBe(0)
  })

  test('tells an unknown run (66), a missing argument (64) and an absent service (69) apart', async () => {
    const [unknown, wrong, absent] = await Promise.all([
      remote('approve', UNKNOWN),
      remote('approve'),
      runCli(['remote', 'approve', UNKNOWN], { env: { ...env, SVC_URL: 'http://127.0.0.1:1' } }),
    ])
    expect(unknown.code).toBe(66)
    expect(wrong.code).toBe(64)
    expect(absent).toMatchObject({ code: 69, stderr: expect.stringContaining('nothing answers') })
  })

  test('a workspace that is not there is not found', async () => {
    const id = await park()
    expect((await remote('approve', id, '--workspace', 'ws_nowhere')).code).toBe(66)
    const elsewhere = { ...env, SVC_WORKSPACE: 'ws_nowhere' }
    expect((await runCli(['remote', 'approve', id], { env: elsewhere })).code).toBe(66)
    expect((await remote('reject', id)).code).toBe(0)
  })
})

describe('--watch', () => {
  test('without a terminal it decides at the pause as the verb says, and stays to the end', async () => {
    await breakDemo()
    const started = await run('--detach')
    expect(started.code).toBe(0)
    const id = started.stdout.trim()
    const { code, stdout } = await remote('approve', id, '--watch', '--json')
    expect(code).toBe(0)
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    const seqs = lines.flatMap((line) => (line.seq === undefined ? [] : [line.seq]))
    expect(seqs).toEqual(seqs.map((_, i) => i + 1))
    const types = lines.map((line) => line.type)
    expect(types.indexOf('decision')).toBeGreaterThan(types.indexOf('gate.opened'))
    expect(lines.at(-1)).toMatchObject({ type: 'run', data: { id, status: 'succeeded' } })
  })

  test('a run that ended without an answer from here is 3', async () => {
    const id = await park()
    await service.call('POST', `/runs/${id}/cancel`, { reason: 'test' })
    await ended(service, id)
    expect((await remote('approve', id, '--watch')).code).toBe(3)
  })

  test('a stream that is cut is taken up where it was: every event once', async () => {
    const id = await park()
    const { url, cut, close } = await startCuttingProxy(service.url)
    const watching = runCli(['remote', 'reject', id, '--watch', '--json'], { env: { ...env, SVC_URL: url } })
    const { stdout, stderr, code } = await watching
    close()
    expect(cut()).toBe(2)
    expect(stderr).toContain('the stream was cut')
    expect(code).toBe(0)
    const events = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
      .filter((line) => line.seq !== undefined)
    const known = await eventsOf(service, id)
    expect(events.map((event) => event.seq)).toEqual(known.map((event) => event.seq))
  })
})

describe('svc run', () => {
  test('starts a run, follows it to its end and exits by its status', async () => {
    await breakDemo()
    const yes = await run('--yes')
    expect(yes).toMatchObject({ code: 0, stdout: expect.stringMatching(/run run_\w+ succeeded/) })
    await breakDemo()
    const following = run()
    const id = await waitingRun()
    expect((await remote('reject', id)).code).toBe(0)
    expect(await following).toMatchObject({
      code: 2,
      stdout: expect.stringContaining(`svc remote approve ${id}`),
    })
  })

  test('a run that failed is 1, a cancelled one 3', async () => {
    const failed = await runCli(['run', TEMPLATE, '-i', 'url=http://127.0.0.1:1'], { env })
    expect(failed).toMatchObject({ code: 1, stdout: expect.stringMatching(/run_\w+ failed: \w+/) })
    await breakDemo()
    const following = run()
    await service.call('POST', `/runs/${await waitingRun()}/cancel`, { reason: 'test' })
    expect(await following).toMatchObject({ code: 3, stdout: expect.stringContaining('cancelled') })
  })

  test('takes inputs from a file, from standard input and from pairs, the pairs last', async () => {
    const inputs = `url: http://127.0.0.1:1\naction: restart\nservice: from-yaml\n`
    const { code, stdout } = await runCli(
      ['run', TEMPLATE, '--inputs', '-', '-i', `url=${demo.url}`, '-i', 'action="rollback"', '--json', '--detach'],
      { env, input: inputs },
    )
    expect(code).toBe(0)
    expect(JSON.parse(stdout).inputs).toEqual({ url: demo.url, action: 'rollback', service: 'from-yaml' })
    await service.call('POST', `/runs/${JSON.parse(stdout).id}/cancel`, { reason: 'test' })
  })

  test('a dry run shows each step as it would be done, and does none of it', async () => {
    await breakDemo()
    const before = demo.state().calls
    const { code, stdout } = await run('--dry-run')
    expect(code).toBe(0)
    for (const line of [
      /A dry run: nothing acted, no approval was requested\./,
      /evidence was read: GET .*\/health/,
      /act would act: POST .*\/restart/,
      /command +curl -X POST .*\/restart/,
      /gate +the pack requires approval for this step/,
      /simulated +would send POST/,
      /verify would wait/,
      /report cannot be judged: it depends on what act, verify would bring/,
      /1 of 4 steps would ask a person; 1 cannot be judged; at most 0 USD/,
      /dry run run_\w+ succeeded/,
    ])
      expect(stdout).toMatch(line)
    const lines = (await run('--dry-run', '--json')).stdout.trim().split('\n')
    const { outputs } = JSON.parse(lines.at(-1) ?? '').data
    expect(outputs.dry_run).toMatchObject({ executed: ['evidence'], gates: ['act'], unknown: ['report'] })
    expect(demo.state().calls).toBe(before)
  })

  test('says which input is wrong (64) and that there is no such template (66)', async () => {
    const wrong = await runCli(['run', TEMPLATE, '-i', 'url=7'], { env })
    expect(wrong).toMatchObject({ code: 64, stderr: expect.stringContaining('url') })
    expect((await runCli(['run', 'sre/nothing'], { env })).code).toBe(66)
    expect((await runCli(['run', 'nothing'], { env })).code).toBe(64)
  })

  test('-I without a terminal is refused before anything starts', async () => {
    const before = await runIds()
    expect(await run('-I')).toMatchObject({ code: 64, stderr: expect.stringContaining('needs a terminal') })
    expect(await runIds()).toEqual(before)
  })

  test('-I asks at the gate, where Enter alone approves nothing', async () => {
    await breakDemo()
    const left = openTerminal(['run', TEMPLATE, '-I', '-i', `url=${demo.url}`], { env })
    await left.shows('Your decision')
    left.type(KEY.enter)
    await left.shows('it waits on')
    expect(await left.ended()).toBe(75)
    const id = await waitingRun()

    const screen = openTerminal(['remote', 'approve', id, '--watch'], { env })
    await screen.shows('Your decision')
    screen.type(KEY.enter)
    await screen.shows('Note')
    screen.type(`looks right${KEY.enter}`)
    await screen.shows('succeeded')
    expect(await screen.ended()).toBe(0)
    const decision = (await eventsOf(service, id)).find((event) => event.type === 'gate.decision')
    expect(decision?.data).toMatchObject({ decision: 'approve', note: 'looks right', channel: 'cli' })
  })

  test('-I rejects by keystrokes, and the question goes away when somebody else was faster', async () => {
    await breakDemo()
    const screen = openTerminal(['run', TEMPLATE, '-I', '-i', `url=${demo.url}`], { env })
    await screen.shows('Your decision')
    screen.type(`${KEY.up}${KEY.enter}`)
    await screen.shows('Note')
    screen.type(KEY.enter)
    await screen.shows('rejected')
    expect(await screen.ended()).toBe(2)

    const slow = openTerminal(['run', TEMPLATE, '-I', '-i', `url=${demo.url}`], { env })
    await slow.shows('Your decision')
    expect((await remote('approve', await waitingRun())).code).toBe(0)
    await slow.shows('this gate was closed meanwhile')
    expect(await slow.ended()).toBe(0)
  })

  test('what strangers wrote cannot act on the terminal', async () => {
    await breakDemo()
    const started = await run('--detach', '--reason', HOSTILE)
    const id = started.stdout.trim()
    const { code, stdout } = await remote('reject', id, '--watch', '--note', HOSTILE)
    expect(code).toBe(0)
    expect(stdout).toContain('all fine')
    expect(stdout.replaceAll('\n', '')).not.toMatch(UNSAFE)
    const json = await remote('approve', id, '--watch', '--json')
    expect(json.stdout.replaceAll('\n', '')).not.toMatch(UNSAFE)
    expect(json.stdout).toContain('\\u202e')
  })
})

async function runIds(): Promise<string[]> {
  const { body } = await service.call<{ id: string }[]>('GET', '/runs?limit=200')
  return body.map((each) => each.id)
}

/** The newest run that waits at a gate. */
async function waitingRun(): Promise<string> {
  const runs = await service.until<{ id: string }[]>('/runs?status=awaiting_approval', (found) => found.length > 0)
  const [newest] = runs
  if (newest === undefined) throw new Error('no run waits')
  return newest.id
}

/** A way to the service that breaks the first two event streams in the middle of what they carry. */
async function startCuttingProxy(target: string) {
  const { port } = new URL(target)
  let cuts = 0
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(Number(port), '127.0.0.1')
    sockets.add(client).add(upstream)
    let streams = false
    client.on('data', (chunk) => {
      streams ||= chunk.includes('/stream?')
      upstream.write(chunk)
    })
    upstream.on('data', (chunk) => {
      if (!streams || cuts === 2 || !chunk.includes('event: ')) return client.write(chunk)
      cuts += 1
      return client.end(chunk.subarray(0, chunk.length / 2))
    })
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      one.on('error', () => undefined)
      one.on('close', () => other.destroy())
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    cut: () => cuts,
    close() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}
