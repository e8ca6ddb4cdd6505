import { once } from 'node:events'
import { startTestService, type TestService } from '#test/support/service.ts'
import { worstJson, worstYaml } from '#test/support/worst-bodies.ts'
import { createDice, type Dice } from './dice.ts'

/** In everything that the loud workspace writes, and in nothing that the other one reads. */
const CANARY = 'loud-canary'
const READ_WITHIN_MS = 1_000
const READ_EVERY_MS = 50
const READS = [
  '/runs',
  '/triggers/inbox',
  '/ui/api/policies',
  '/ui/api/triggers',
  '/ui/api/knowledge',
  '/console/api/audit',
]
const MIB = 1_048_576

export interface FuzzWorld {
  service: TestService
  /** headers of a request, by workspace */
  loud: Record<string, string>
  quiet: Record<string, string>
  /** how the API has ended, if it has */
  ended(): string | undefined
}

export interface FuzzReport {
  seed: number
  statuses: Record<string, number>
  longest_read_ms: number
  breaches: string[]
}

export async function startFuzzWorld(servers: { postgres_url: string; temporal_address: string }): Promise<FuzzWorld> {
  const env = { SVC_SECRET_KEY: 'the master key of the tests, long enough', OBS_TRIGGER_DURABLE: '1' }
  const service = await startTestService({ ...servers, env, api: false })
  const api = await service.startApi()
  let ended: string | undefined
  void once(api, 'exit').then(([code, signal]) => {
    ended = `the API ended with ${signal ?? code}`
  })
  const workspace = async (slug: string) => {
    const { body } = await service.call<{ id: string }>('POST', '/workspaces', { slug, name: slug })
    return { 'x-svc-workspace': body.id }
  }
  const world = { service, loud: await workspace('loud'), quiet: await workspace('quiet'), ended: () => ended }
  const one = { name: 'one', on: 'alert', run: 'sre/service-recovery' }
  await service.call('POST', '/ui/api/triggers', one, world.loud)
  return world
}

/** Sends what follows from the seed as one workspace, while another one reads. */
export async function runFuzz(
  world: FuzzWorld,
  { seed, actions }: { seed: number; actions: number },
): Promise<FuzzReport> {
  const report: FuzzReport = { seed, statuses: {}, longest_read_ms: 0, breaches: [] }
  let isOver = false
  const reading = read(world, report, () => isOver)
  for (let nth = 0; nth < actions && world.ended() === undefined; nth += 1) {
    const dice = createDice(seed, nth)
    const { name, method, path, body, type = 'application/json' } = dice.pick(ACTIONS)(dice)
    const status = await fetch(`${world.service.url}${path}`, {
      method,
      body,
      headers: { ...world.loud, 'content-type': type },
    }).then(
      async (answer) => {
        await answer.arrayBuffer()
        return answer.status
      },
      () => 0,
    )
    const key = `${name} ${status}`
    report.statuses[key] = (report.statuses[key] ?? 0) + 1
    // what is refused because of its size may be cut off while it is still being sent
    if (status >= 500 || (status === 0 && body.length <= MIB))
      report.breaches.push(`action ${nth}: ${name} got ${status}`)
  }
  isOver = true
  await reading
  const ended = world.ended()
  if (ended !== undefined) report.breaches.push(ended)
  return report
}

async function read({ service, quiet }: FuzzWorld, report: FuzzReport, isOver: () => boolean): Promise<void> {
  for (let nth = 0; !isOver(); nth += 1) {
    const path = READS[nth % READS.length] ?? '/runs'
    const began = performance.now()
    const answer = await fetch(`${service.url}${path}`, { headers: quiet }).catch(() => undefined)
    const text = await answer?.text()
    const ms = performance.now() - began
    report.longest_read_ms = Math.max(report.longest_read_ms, Math.round(ms))
    if (answer?.status !== 200)
      report.breaches.push(`GET ${path} of the other workspace got ${answer?.status ?? 'nothing'}`)
    if (ms > READ_WITHIN_MS) report.breaches.push(`GET ${path} of the other workspace took ${Math.round(ms)} ms`)
    if (text?.includes(CANARY)) report.breaches.push(`GET ${path} of the other workspace shows ${CANARY}`)
    await new Promise((resolve) => setTimeout(resolve, READ_EVERY_MS))
  }
}

interface Action {
  name: string
  method: string
  path: string
  body: string
  type?: string
}

const ACTIONS: ((dice: Dice) => Action)[] = [
  (dice) => ({ name: 'document', method: 'POST', path: dice.pick(DOCUMENTS), ...document(dice) }),
  (dice) => ({ name: 'rule', method: 'POST', path: '/ui/api/triggers', body: JSON.stringify(rule(dice)) }),
  (dice) => ({
    name: 'rule that is there',
    method: 'PUT',
    path: '/ui/api/triggers/one',
    body: JSON.stringify(rule(dice, 'one')),
  }),
  (dice) => ({
    name: 'policy',
    method: 'POST',
    path: '/console/api/policies/simulate',
    body: JSON.stringify(subject(dice)),
  }),
  (dice) => ({ name: 'alert', method: 'POST', path: '/triggers/alert', body: JSON.stringify(alerts(dice)) }),
  (dice) => ({ name: 'alert', method: 'POST', path: '/triggers/alert', body: JSON.stringify(alerts(dice)) }),
  (dice) => ({ name: 'start', method: 'POST', path: '/triggers/manual', body: JSON.stringify(start(dice)) }),
  (dice) => ({
    name: 'worst JSON',
    method: 'POST',
    path: dice.pick(['/triggers/manual', '/triggers/alert', '/triggers/pattern', '/mcp', '/v1/chat/completions']),
    body: dice.pick(Object.values(worstJson(undefined, dice.pick([1_000, 50_000, MIB])))),
  }),
]

const DOCUMENTS = ['/ui/api/policies', '/ui/api/triggers', '/ui/api/environments', '/ui/api/profiles']

function document(dice: Dice): { body: string; type: string } {
  const type = 'text/yaml'
  if (dice.chance(0.5)) return { body: dice.pick(Object.values(worstYaml(dice.pick([500, 10_000, MIB / 4])))), type }
  const text = JSON.stringify(dice.chance(0.5) ? rule(dice) : policy(dice), null, 2)
  // a few signs of it are others
  const signs = [...text]
  for (let n = dice.int(6); n > 0; n -= 1) signs[dice.int(signs.length)] = dice.pick([...':-[]{}&*!|>%@`"\'\n\t #,?'])
  return { body: signs.join(''), type }
}

const name = (dice: Dice) => `${CANARY}-${dice.hex(6)}`

function rule(dice: Dice, called = name(dice)) {
  return {
    name: called,
    on: 'alert',
    match: {
      ...(dice.chance(0.3) && { service: pattern(dice), severity: ['critical'] }),
      when: `size(string(${expression(dice, 4)})) >= 0`,
    },
    run: 'sre/service-recovery',
    inputs: { url: `\${{ ${expression(dice, 3)} }}`, service: text(dice) },
  }
}

function policy(dice: Dice) {
  return {
    name: name(dice),
    applies_to: {
      environments: [pattern(dice)],
      action_types: Array.from({ length: dice.int(50) }, () => pattern(dice)),
    },
    rules: Array.from({ length: 1 + dice.int(200) }, () => ({
      effect: dice.pick(['deny', 'require_hitl', 'allow_auto']),
      reason: text(dice),
    })),
  }
}

function subject(dice: Dice) {
  return {
    pack: 'sre',
    template: 'service-recovery',
    environment: text(dice),
    inputs: { url: text(dice), [text(dice)]: text(dice) },
  }
}

function start(dice: Dice) {
  const inputs = Object.fromEntries(Array.from({ length: dice.int(300) }, () => [text(dice), text(dice)]))
  return { pack: 'sre', template: 'service-recovery', inputs: { ...inputs, url: text(dice) }, reason: name(dice) }
}

function alerts(dice: Dice) {
  const one = () => ({
    status: dice.pick(['firing', 'firing', 'resolved']),
    labels: {
      alertname: name(dice),
      service: text(dice),
      severity: dice.pick(['critical', 'info', 'warning']),
      ...Object.fromEntries(Array.from({ length: dice.int(40) }, () => [text(dice), text(dice)])),
    },
    annotations: {
      summary: text(dice),
      description: text(dice)
        .repeat(dice.pick([1, 1, 10, 100]))
        .slice(0, 20_000),
    },
    startsAt: '2026-01-01T00:00:00Z',
  })
  const list = Array.from({ length: dice.pick([1, 1, 3, 50]) }, one)
  return { version: '4', groupKey: name(dice), status: 'firing', receiver: 'r', alerts: list }
}

function text(dice: Dice): string {
  return dice.pick([
    () => `${CANARY} ${dice.hex(8)}`,
    () => ' '.repeat(dice.int(2_000)),
    () => 'ab '.repeat(dice.int(500)),
    () => '${{'.repeat(dice.int(20)),
    () => `\${{ ${expression(dice, 2)} }}`,
    () => '"\\'.repeat(dice.int(100)),
    () => '../'.repeat(dice.int(100)),
    () => '\u202e\u0301é😀'.repeat(dice.int(30)),
    () => `http://${dice.hex(4)}.example.test/`,
    () => '',
  ])()
}

function pattern(dice: Dice): string {
  return dice.pick([
    () => `*${'a*'.repeat(dice.int(20))}`,
    () => `re:${regex(dice, 3)}`,
    () => text(dice),
    () => `${CANARY}-*`,
  ])()
}

function regex(dice: Dice, depth: number): string {
  const inner = () => (depth === 0 ? dice.pick(['a', '.', '\\s', '[^b]', ' ']) : regex(dice, depth - 1))
  return dice.pick([
    () => `(${inner()}${inner()})*`,
    () => `(${inner()}|${inner()})+`,
    () => `${inner()}{0,${dice.int(40)}}`,
    () => `^${inner()}$`,
    inner,
  ])()
}

/** An expression of text that uses whatever grows, repeats or searches. */
function expression(dice: Dice, depth: number): string {
  if (depth === 0)
    return dice.pick(['alert.description', 'alert.service', 'alert.title', '"a b c"', 'alert.labels["alertname"]'])
  const inner = () => expression(dice, depth - 1)
  const leaf = () => expression(dice, 0)
  const loop = depth > 2 ? inner : leaf
  return dice.pick([
    () => `${inner()}.split(${dice.pick(['""', '" "', leaf()])}).map(x, ${loop()} + x).join(" ")`,
    () => `${inner()}.split("").filter(x, x != ${leaf()}).join(${leaf()})`,
    () => `string(${inner()}.split(" ").exists(x, ${leaf()}.contains(x)))`,
    () => `string(alert.labels.all(x, ${loop()} != x))`,
    () => `(${inner()} + ${inner()})`,
    () => `(${inner()} == ${inner()} ? ${inner()} : ${inner()})`,
    () => `string(size(${inner()}))`,
    () => `[${inner()}, ${inner()}, ${inner()}].join(${leaf()})`,
  ])()
}
