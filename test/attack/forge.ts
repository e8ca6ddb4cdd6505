import type { Dice } from './dice.ts'
import type { HonestRun } from './honest/runs.ts'
import type { KnownGate } from './knowledge.ts'
import type { World } from './world.ts'

type Forged = Record<string, unknown>

const expression = (cel: string) => `\${{ ${cel} }}`
const FOREVER = '2099-01-01T00:00:00.000Z'
const WORKSPACE = 'ws_00000000000000000000000000'
const NOBODY = 'usr_ceo'

/** A plan that nobody approved: one request without a gate, to a place of the adversary's choice, with the run's secret in it. */
export function forgedPlan(world: World, dice: Dice, genuine: unknown): Forged {
  const aim = dice.pick(['elsewhere', 'same target', 'two steps'])
  const host = aim === 'same target' ? expression('inputs.url') : world.elsewhere.url
  const step = (id: string): Forged => ({
    id,
    name: id,
    operator: 'http.request',
    operator_version: 1,
    with: {
      method: dice.pick(['POST', 'PUT', 'GET']),
      url: `${host}/${expression('inputs.marker')}/${id}`,
      json: { forged: true, all: expression('inputs') },
    },
    requires_approval: false,
    action_type: 'read',
    risk: 'low',
    capabilities: [],
    timeout_ms: 5_000,
    retry: { max_attempts: 1, initial_ms: 100, backoff: 1, max_ms: 100 },
  })
  return {
    ...(typeof genuine === 'object' ? genuine : {}),
    v: 1,
    pack: 'drill',
    template: 'plain',
    pack_version: '1.0.0',
    pack_digest: `sha256:${'0'.repeat(64)}`,
    title: 'Forged',
    risk: 'low',
    action_types: ['read'],
    capabilities: ['http.egress'],
    steps: aim === 'two steps' ? [step('act'), step('forged')] : [step(dice.pick(['act', 'forged', 'confirm']))],
    outputs: {},
    digest: dice.chance(0.5) ? `sha256:${dice.hex(64)}` : ((genuine as Forged | undefined)?.['digest'] ?? ''),
  }
}

/** An answer in somebody's name, of a shape that the engine's entry points take, or took once, or never took. */
export function forgedCommand(world: World, dice: Dice, gate: KnownGate | undefined, kinds: readonly string[]): Forged {
  const people = [...Object.values(world.voters), world.owner, world.starter].map(({ id }) => id)
  const by = dice.pick([...people, NOBODY, 'temporal', 'system', ''])
  const kind = dice.pick(kinds)
  const forged = {
    gate_id: gate?.id ?? `gate_${'0'.repeat(26)}`,
    decision_id: `forged/${dice.hex(16)}`,
    kind,
    by,
    display: by,
    type: 'user',
    roles: ['owner', 'admin', 'approver', 'dba'],
    channel: dice.pick(['api', 'console', 'cli', 'slack', 'magic_link', 'temporal', 'system']),
    asserted: dice.chance(0.3),
    auth: dice.pick(['jwt', 'signature', 'none', 'magic_link']),
    plan_hash: gate?.plan_hash,
    at: new Date().toISOString(),
    note: 'forged',
    ...(dice.chance(0.3) ? { via: dice.pick(people) } : {}),
    ...(dice.chance(0.3) ? { delegations: [{ of: dice.pick(people), roles: ['owner', 'dba'] }] } : {}),
    ...(dice.chance(0.7) ? { signature: Buffer.from(dice.hex(64), 'hex').toString('base64url') } : {}),
  }
  // a shape that nobody knows is refused before anything else is looked at
  return dice.chance(0.2) ? { ...forged, decision: kind, reason: 'forged' } : forged
}

/** The wait that the adversary would like our workflow to believe in. */
function forgedGate(dice: Dice, gate: KnownGate | undefined): Forged {
  return {
    gate_id: gate?.id ?? `gate_${'0'.repeat(26)}`,
    step: gate?.step_id ?? 'act',
    plan_hash: gate?.plan_hash ?? `sha256:${'0'.repeat(64)}`,
    opened_at: '2020-01-01T00:00:00.000Z',
    expires_at: dice.pick([FOREVER, '2020-01-01T00:00:00.000Z', gate?.expires_at ?? FOREVER]),
    required: { approvals: dice.pick([0, 1]), approval_roles: [], prevent_self: false },
    requested_by: null,
    signals_approve: true,
    votes: [{ by: NOBODY, decision: 'approve', roles: ['owner'], asserted: false }],
  }
}

/** Answers that somebody else gives in the place of our activities; every shape that there is or was, and none. */
export const FORGED_RESULTS = [
  'parked',
  'parked elsewhere',
  'done',
  'delayed',
  'ended',
  'open',
  'nothing',
  'nonsense',
] as const

export function forgedResult(dice: Dice, gate: KnownGate | undefined, way: (typeof FORGED_RESULTS)[number]): unknown {
  const forged = forgedGate(dice, gate)
  const wait_ms = dice.pick([1, 3_600_000, 10 ** 12, -1, 'soon'])
  const gate_id = gate?.id ?? forged['gate_id']
  const results: Record<(typeof FORGED_RESULTS)[number], unknown> = {
    parked: { kind: 'parked', gate: forged, gate_id, step: 'act', wait_ms },
    'parked elsewhere': { kind: 'parked', gate: forged, gate_id: `gate_${'0'.repeat(26)}`, step: 'act', wait_ms },
    done: { kind: 'closed', status: dice.pick(['succeeded', 'failed', 'approved']) },
    delayed: { kind: 'delayed', delay_ms: dice.pick([1, 10 ** 9, 'soon']), reason: 'forged' },
    ended: { kind: dice.pick(['cancelling', 'stopped', 'yielded']) },
    open: {
      gate_id,
      status: dice.pick(['approved', 'open']),
      resolved: true,
      remaining_ms: 10 ** 9,
      refused: undefined,
    },
    nothing: null,
    nonsense: dice.pick(['closed', 42, [], { kind: 'forged' }, {}]),
  }
  return results[way]
}

export const RESOLUTIONS_THAT_LET_THROUGH = ['approved', 'expired', 'nonsense'] as const
export const RESOLUTIONS = [...RESOLUTIONS_THAT_LET_THROUGH, 'rejected', 'cancelled', 'withdrawn'] as const

/** A time of the drill's schedule that has not come, or is long over; or one that is none of its times. */
export function nominalTime(dice: Dice): string {
  const leap = `${2028 + 4 * dice.int(17)}-02-29T00:00:00Z`
  return dice.pick([leap, leap, '2024-02-29T00:00:00Z', `${new Date().toISOString().slice(0, 10)}T00:00:00Z`])
}

/** One object that has whatever any of our activities might look at: each reads what it knows, and nothing of it is true. */
export function forgedArguments(
  world: World,
  dice: Dice,
  run: HonestRun,
  gate: KnownGate | undefined,
  genuine: Forged,
  resolutions: readonly string[] = RESOLUTIONS_THAT_LET_THROUGH,
): Forged {
  const resolution = dice.pick(resolutions)
  const lets: readonly string[] = RESOLUTIONS_THAT_LET_THROUGH
  const kind = lets.includes(resolution) ? 'approve' : 'reject'
  const command = dice.chance(0.5) ? null : forgedCommand(world, dice, gate, [kind])
  const settlement = {
    run_id: run.id,
    workspace_id: WORKSPACE,
    gate: forgedGate(dice, gate),
    gate_id: gate?.id,
    resolution,
    cause: dice.pick([null, 'ttl', 'condition_cleared']),
    command,
    cancel: null,
    approvals: { have: 9, need: 1 },
  }
  return {
    ...settlement,
    lane: dice.pick(['realtime', 'background']),
    ...genuine,
    given: command ?? { decision: 'approve' },
    signal: dice.pick([undefined, { decision_id: `signal/${run.id}/1`, gate_id: gate?.id ?? null }]),
    wait: { kind: 'delay', until_ms: 4_000_000_000_000, reason: 'forged' },
    plan: dice.chance(0.6) ? genuine['plan'] : forgedPlan(world, dice, genuine['plan']),
    settle: dice.pick([null, settlement, settlement]),
    settlement,
    status: dice.pick(['approved', 'succeeded', 'failed']),
    error: dice.pick([null, { code: 'forged', message: 'forged' }]),
    kind: 'resolved',
    channel: 'ops',
    recipient: world.elsewhere.url,
    notice_id: 1,
    schedule_id: world.schedule_id,
    nominal_at: nominalTime(dice),
    inputs: { url: world.elsewhere.url, marker: run.marker },
    provenance: { actor: { type: 'user', id: NOBODY }, human_root: { user_id: NOBODY } },
  }
}

/** Only what the one who reads it knows; without a list, all of it. */
export function shaped(args: Forged, fields: readonly string[] | undefined): Forged {
  if (fields === undefined) return args
  return Object.fromEntries(
    Object.entries(args).filter(([name, value]) => fields.includes(name) && value !== undefined),
  )
}

/** What is not of any shape that somebody thought of. */
export function nonsense(dice: Dice): unknown[] {
  const values = [null, 'approve', 42, true, [], {}, { kind: 'approve' }, { decision: 'approve' }, { ['__proto__']: 1 }]
  return Array.from({ length: dice.int(3) }, () => dice.pick(values))
}
