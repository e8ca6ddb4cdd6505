import { afterEach, describe, expect, test } from 'vitest'
import { createOperators } from '#activities/operators/index.ts'
import { resolveGate } from '#core/gate/resolve.ts'
import { compilePolicies } from '#core/policy/compile.ts'
import { EMPTY_LAYER, type LayerPolicies } from '#core/policy/layer.ts'
import { type CheckedDeployment, checkDeployment } from '#platform/check/check-deployment.ts'
import { readDefaultPolicies } from '#platform/deployment-content.ts'
import { createEgressClient } from '#platform/egress/egress-client.ts'
import { temporaryFolder } from '../packs/pack-folder.ts'
import { SOUND } from './sound-deployment.ts'

const catalog = createOperators({ egress: createEgressClient() })
const defaults = readDefaultPolicies()
const folders: ReturnType<typeof temporaryFolder>[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) folder.remove()
})

function check(files: Record<string, string>, modelsFile = 'models.yaml'): CheckedDeployment {
  const folder = temporaryFolder()
  folders.push(folder)
  folder.write(files)
  const { root } = folder
  return checkDeployment({
    home: root,
    policiesDir: `${root}/policies`,
    modelsFile: `${root}/${modelsFile}`,
    packDirs: [`${root}/packs`],
    catalog,
    defaults,
  })
}

interface Typo {
  file: string
  right: string
  wrong: string
  /** the text that the place in the finding begins with; the typo itself when absent */
  at?: string
  /** absent where nothing is near */
  nearest?: string
  /** it switches something off that protects: then the gate is on, or the file is refused */
  protects?: true
}

const TEMPLATE = 'packs/shop/templates/drain-node.yaml'
const REPORT = 'packs/shop/templates/drain-node.md.liquid'

const TYPOS: Typo[] = [
  // values of inputs
  { file: 'schedules/nightly.yaml', right: 'node: n1', wrong: 'node: 9400', at: '9400' },
  { file: 'rules/nodes.yaml', right: 'drain_s: 30', wrong: 'drain_s: soon', at: 'soon' },
  // names
  { file: 'rules/nodes.yaml', right: 'environment: live', wrong: 'environment: lvie', at: 'lvie', nearest: 'live' },
  {
    file: 'rules/nodes.yaml',
    right: 'profile: careful',
    wrong: 'profile: carefull',
    at: 'carefull',
    nearest: 'careful',
  },
  { file: 'profiles/careful.yaml', right: 'small: quick', wrong: 'small: quikc', at: 'quikc', nearest: 'quick' },
  {
    file: 'profiles/careful.yaml',
    right: 'model: thorough',
    wrong: 'model: thorouhg',
    at: 'thorouhg',
    nearest: 'thorough',
  },
  { file: 'profiles/careful.yaml', right: 'fallback: quick', wrong: 'fallback: quik', at: 'quik', nearest: 'quick' },
  { file: 'profiles/careful.yaml', right: 'small: quick', wrong: 'smal: quick', at: 'smal:', nearest: 'small' },
  { file: 'rules/nodes.yaml', right: 'shop/drain-node', wrong: 'shop/drain-nod', nearest: 'shop/drain-node' },
  { file: 'rules/nodes.yaml', right: 'node: "${{', wrong: 'nod: "${{', at: 'nod:', nearest: 'node' },
  {
    file: 'schedules/nightly.yaml',
    right: 'template: drain-node',
    wrong: 'template: drian-node',
    at: 'drian-node',
    nearest: 'shop/drain-node',
  },
  { file: 'schedules/nightly.yaml', right: 'environment: live', wrong: 'environment: liv', at: 'liv', nearest: 'live' },
  {
    file: 'schedules/nightly.yaml',
    right: 'profile: careful',
    wrong: 'profile: crareful',
    at: 'crareful',
    nearest: 'careful',
  },
  { file: 'skills/follow-up/SKILL.md', right: 'shop/drain-node', wrong: 'shop/dran-node', nearest: 'shop/drain-node' },
  {
    file: 'skills/follow-up/SKILL.md',
    right: 'environment: live',
    wrong: 'environment: lve',
    at: 'lve',
    nearest: 'live',
  },
  {
    file: 'environments/live.yaml',
    right: 'profile: careful',
    wrong: 'profile: carful',
    at: 'carful',
    nearest: 'careful',
  },
  { file: 'environments/live.yaml', right: '[ops-hook]', wrong: '[ops-hok]', at: 'ops-hok', nearest: 'ops-hook' },
  { file: 'environments/live.yaml', right: '[loopback,', wrong: '[lopback,', at: 'lopback', nearest: 'loopback' },
  { file: 'environments/live.yaml', right: '10.0.0.0/8', wrong: '10.0.0.0/80', at: '10.0.0.0/80' },
  { file: 'environments/live.yaml', right: '[mail]', wrong: '[mial]', at: 'mial', nearest: 'mail' },
  { file: 'environments/live.yaml', right: '  orders:', wrong: '  order:', at: 'order:', nearest: 'orders' },
  {
    file: 'profiles/careful.yaml',
    right: 'environment: live',
    wrong: 'environment: ilve',
    at: 'ilve',
    nearest: 'live',
  },
  { file: 'profiles/careful.yaml', right: 'node.drain', wrong: 'node.drian', nearest: 'node.drain' },
  { file: 'policies/live.yaml', right: '[live]', wrong: '[lives]', at: 'lives', nearest: 'live', protects: true },
  {
    file: 'policies/live.yaml',
    right: '[node.drain]',
    wrong: '[node.darin]',
    at: 'node.darin',
    nearest: 'node.drain',
    protects: true,
  },
  { file: 'policies/live.yaml', right: 'http.egress', wrong: 'http.egres', nearest: 'http.egress', protects: true },
  { file: 'policies/live.yaml', right: '[ops-hook]', wrong: '[ops-hoook]', at: 'ops-hoook', nearest: 'ops-hook' },
  {
    file: 'policies/live.yaml',
    right: 'approval_role: approver',
    wrong: 'approval_role: aprover',
    at: 'aprover',
    nearest: 'approver',
  },
  {
    file: 'packs/shop/policies/drain.yaml',
    right: '[production, live]',
    wrong: '[producton]',
    at: 'producton',
    nearest: 'production',
    protects: true,
  },
  { file: TEMPLATE, right: 'connection: orders', wrong: 'connection: ordrs', at: 'ordrs', nearest: 'orders' },
  { file: TEMPLATE, right: 'http.request', wrong: 'http.reqest', nearest: 'http.request' },
  // CEL and Liquid
  {
    file: TEMPLATE,
    right: 'steps.orders.outputs.row_count',
    wrong: 'steps.order.outputs.row_count',
    at: 'steps.order.',
    nearest: 'orders',
  },
  {
    file: TEMPLATE,
    right: '{{ inputs.node }}/drain',
    wrong: '{{ inputs.nod }}/drain',
    at: 'inputs.nod ',
    nearest: 'node',
  },
  {
    file: TEMPLATE,
    right: "steps.act.status == 'succ",
    wrong: "stesp.act.status == 'succ",
    at: 'stesp.act',
    nearest: 'steps',
  },
  {
    file: TEMPLATE,
    right: 'Drained {{ inputs.node }}',
    wrong: 'Drained {{ inputs.ndoe }}',
    at: 'inputs.ndoe',
    nearest: 'node',
  },
  { file: REPORT, right: 'steps.act.status', wrong: 'steps.atc.status', nearest: 'act' },
  {
    file: REPORT,
    right: 'steps.orders.outputs',
    wrong: 'steps.orders.output',
    at: 'steps.orders.output',
    nearest: 'outputs',
  },
  {
    file: 'rules/nodes.yaml',
    right: 'has(alert.labels.node)',
    wrong: 'has(alert.lables.node)',
    at: 'alert.lables',
    nearest: 'labels',
  },
  // keys
  { file: TEMPLATE, right: 'timeout: 30s', wrong: 'tiemout: 30s', at: 'tiemout', nearest: 'timeout' },
  {
    file: TEMPLATE,
    right: 'requires_approval: true',
    wrong: 'require_approval: true',
    at: 'require_approval',
    nearest: 'requires_approval',
    protects: true,
  },
  {
    file: 'environments/live.yaml',
    right: 'min_approvals: 2',
    wrong: 'min_aprovals: 2',
    at: 'min_aprovals',
    nearest: 'min_approvals',
    protects: true,
  },
  {
    file: 'policies/live.yaml',
    right: 'applies_to:',
    wrong: 'aplies_to:',
    at: 'aplies_to',
    nearest: 'applies_to',
    protects: true,
  },
  {
    file: 'profiles/careful.yaml',
    right: 'requires_approval:',
    wrong: 'requires_aproval:',
    at: 'requires_aproval',
    nearest: 'requires_approval',
    protects: true,
  },
  { file: 'channels.yaml', right: 'smtp:', wrong: 'stmp:', nearest: 'smtp' },
  {
    file: 'skills/follow-up/SKILL.md',
    right: 'environment: live',
    wrong: 'enviroment: live',
    at: 'enviroment',
    nearest: 'environment',
  },
  // types, units and cases
  {
    file: 'environments/live.yaml',
    right: 'class: production',
    wrong: 'class: Production',
    at: 'Production',
    nearest: 'production',
    protects: true,
  },
  {
    file: 'environments/live.yaml',
    right: 'remind_after: 30m',
    wrong: 'remind_after: 30min',
    at: '30min',
    nearest: '30m',
  },
  { file: 'rules/nodes.yaml', right: 'cooldown: 30s', wrong: 'cooldown: 30sec', at: '30sec', nearest: '30s' },
  { file: 'rules/nodes.yaml', right: '[critical]', wrong: '[criticl]', at: 'criticl', nearest: 'critical' },
  { file: 'policies/live.yaml', right: 'require_hitl', wrong: 'require_hilt', nearest: 'require_hitl', protects: true },
  { file: 'channels.yaml', right: 'kind: webhook', wrong: 'kind: webhok', at: 'webhok', nearest: 'webhook' },
  { file: 'schedules/nightly.yaml', right: '30 2 * * 1-5', wrong: '30 25 * * 1-5', at: '25 * *' },
  { file: 'environments/live.yaml', right: '0 18 * * 5', wrong: '0 18 * * 8', at: '0 18 * * 8', protects: true },
  { file: 'environments/live.yaml', right: 'Europe/Berlin', wrong: 'Europe/Berln', protects: true },
  { file: 'environments/live.yaml', right: 'min_approvals: 2', wrong: 'min_approvals: two', at: 'two', protects: true },
]

test('what a slip hides is told with it, in one round', () => {
  const rule = SOUND['rules/nodes.yaml'] ?? ''
  const { findings } = check({
    ...SOUND,
    'environments/live.yaml':
      'name: live\nclass: producton\naproval: { min_aprovals: 2, prevent_selv: true, chanels: [ops-hok] }\n',
    'rules/nodes.yaml': rule
      .replace('symptom:', 'symptm:')
      .replace('alert.labels.node)', 'alert.lables.node)')
      .replace('shop/drain-node', 'shop/drain-nod')
      .replace('environment: live', 'enviroment: lve'),
    'schedules/nightly.yaml': (SOUND['schedules/nightly.yaml'] ?? '')
      .replace('30 2 * * 1-5', '30 25 * * *')
      .replace('template: drain-node', 'template: drain-nod'),
  })
  const reported = findings
    .filter(({ warning }) => !warning)
    .map(({ file, line, message }) => `${file}:${line} ${message}`)
  for (const slip of [
    /live.yaml:2 .*did you mean production/,
    /live.yaml:3 .*"aproval".*did you mean approval/,
    /live.yaml:3 .*"min_aprovals".*did you mean min_approvals/,
    /live.yaml:3 .*"prevent_selv".*did you mean prevent_self/,
    /live.yaml:3 .*"chanels".*did you mean channels/,
    /live.yaml:3 .*channel ops-hok; did you mean ops-hook/,
    /nodes.yaml:4 .*"symptm".*did you mean symptom/,
    /nodes.yaml:6 .*lables/,
    /nodes.yaml:7 .*shop\/drain-nod; did you mean shop\/drain-node/,
    /nodes.yaml:8 .*"enviroment".*did you mean environment/,
    /nodes.yaml:8 .*environment lve; did you mean live/,
    /nightly.yaml:2 .*25/,
    /nightly.yaml:5 .*shop\/drain-nod; did you mean shop\/drain-node/,
  ])
    expect(reported).toContainEqual(expect.stringMatching(slip))
})

test('nothing is wrong with the deployment that the typos are planted in', () => {
  expect(check(SOUND).findings).toEqual([])
})

test('a role of a profile names no model where there is no models.yaml, and nobody knows where it cannot be read', () => {
  const { 'models.yaml': models = '', ...others } = SOUND
  const named = ({ findings }: CheckedDeployment) =>
    findings.filter(({ message }) => message.startsWith('there is no model'))
  expect(named(check(others)).map(({ file, line }) => [file, line])).toEqual([
    ['profiles/careful.yaml', 4],
    ['profiles/careful.yaml', 5],
    ['profiles/careful.yaml', 5],
  ])
  expect(named(check({ ...others, 'models.yaml': `${models}  - { id: [] }\n` }))).toEqual([])
  expect(named(check({ ...others, 'elsewhere/bound.yaml': models }, 'elsewhere/bound.yaml'))).toEqual([])
})

test('at least forty are planted', () => {
  expect(TYPOS.length).toBeGreaterThanOrEqual(40)
})

const textOf = ({ file, right, wrong }: Typo) => (SOUND[file] ?? '').replace(right, () => wrong)
const shownName = ({ file }: Typo) => file.replace(/^packs\//, '')

describe.each(TYPOS)('$wrong in $file', (typo) => {
  test('is found where it stands, with the name that was meant', () => {
    const { file, right, wrong, at, nearest } = typo
    expect(SOUND[file]).toContain(right)
    const text = textOf(typo)
    const { findings } = check({ ...SOUND, [file]: text })
    const position = placeOf(text, text.indexOf(wrong) + wrong.indexOf(at ?? wrong.replace(/:$/, '')))
    const here = findings.filter((each) => each.file === shownName(typo))
    expect(here).toContainEqual(expect.objectContaining(position))
    const [found] = here.filter(({ line, column }) => line === position.line && column === position.column)
    expect(found?.message).toContain(nearest === undefined ? '' : `did you mean ${nearest}?`)
  })
})

describe.each(TYPOS.filter(({ protects }) => protects))('$wrong in $file', (typo) => {
  test('loosens nothing: the file is refused, or the gate is on', () => {
    const planted = check({ ...SOUND, [typo.file]: textOf(typo) })
    const isRefused = !typo.file.includes('policies/') && planted.findings.some((each) => each.file === shownName(typo))
    const layer = typo.file.startsWith('packs/') ? 'pack' : 'overlay'
    expect(isRefused || asks(planted.policies[layer])).toBe(true)
  })
})

function placeOf(text: string, offset: number): { line: number; column: number } {
  const lines = text.slice(0, offset).split('\n')
  return { line: lines.length, column: (lines.at(-1) ?? '').length + 1 }
}

/** Whether the one policy of a layer still asks a person about what it is for. */
function asks(layer: LayerPolicies): boolean {
  const environment = { name: 'live', class: 'staging', policies: [] }
  const layers = { pack: EMPTY_LAYER, overlay: layer, console: EMPTY_LAYER }
  const set = compilePolicies({ layers, environment }, { hash: (text) => text })
  const verdict = set.decide({
    environment: environment.name,
    environment_class: environment.class,
    risk: 'high',
    action_types: ['node.drain'],
    capabilities: ['http.egress'],
  })
  const gate = resolveGate({
    operator: false,
    profile: false,
    pack: false,
    policy: verdict,
    min_approvals: 1,
    prevent_self: false,
  })
  return gate.on
}
