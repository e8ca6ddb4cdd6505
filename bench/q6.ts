import * as cedar from '@cedar-policy/cedar-wasm/nodejs'
import { resolveGate } from '#core/gate/resolve.ts'
import { compilePolicies } from '#core/policy/compile.ts'
import { EMPTY_LAYER, type Policy } from '#core/policy/layer.ts'
import { type StepFacts, stepSubjects } from '#core/policy/step-subjects.ts'
import { letsThrough, strictest } from '#core/policy/strictness.ts'
import { EFFECTS, type Effect, type PolicySubject, RISKS } from '#core/policy/types.ts'
import { seededRandom } from '#test/support/seeded-random.ts'
import { defineScenario, type Given } from './scenario.ts'
import { quantile, round } from './stats.ts'

interface Q6Options {
  sizes: number[]
  decisions: number
  /** time limit of each side, at each size */
  most_ms: number
}

type Mix = 'selective' | 'dense'

export const q6 = defineScenario({
  id: 'q6',
  run: async ({ quick }: Given) =>
    measureAll({ sizes: [10, 1_000, 10_000], decisions: quick ? 20_000 : 200_000, most_ms: quick ? 2_000 : 10_000 }),
  show(rows) {
    console.log('\nQ6 policy in microseconds: one resolution by four authorities with its reasons, ours / Cedar')
    console.table(
      rows.map(({ mix, policies, matching, compile_ms, ours, cedar, ratio }) => ({
        policies: `${policies} ${mix}`,
        'reach a step': matching,
        'CPU µs': `${ours.mean_us} / ${cedar.mean_us}`,
        'p50 µs': `${ours.p50_us} / ${cedar.p50_us}`,
        'p99 µs': `${ours.p99_us} / ${cedar.p99_us}`,
        'a second': `${ours.per_s} / ${cedar.per_s}`,
        'times as fast': ratio,
        'compile ms': compile_ms,
      })),
    )
  },
})

/** Policy in microseconds: one whole resolution, with everything that led to it, against Cedar with the same policies parsed before. */
async function measureAll({ sizes, decisions, most_ms }: Q6Options) {
  const rows = []
  for (const mix of ['selective', 'dense'] as const) {
    for (const size of sizes) rows.push(measure(mix, size, decisions, most_ms))
  }
  return rows
}

function measure(mix: Mix, size: number, decisions: number, most_ms: number) {
  const random = seededRandom(size)
  const policies = Array.from({ length: size }, (_, index) => randomPolicy(mix, size, index, random))
  const steps = Array.from({ length: 10_000 }, () => randomStep(mix, size, random))
  const began = performance.now()
  const set = compilePolicies(
    {
      layers: { pack: EMPTY_LAYER, overlay: { policies, broken: [] }, console: EMPTY_LAYER },
      environment: { name: 'production', class: 'production', policies: [] },
    },
    { hash: (text) => String(text.length) },
  )
  const compile_ms = performance.now() - began
  const resolve = (facts: StepFacts) => {
    const { action_types, subjects } = stepSubjects(facts)
    const policy = set.decide(...subjects)
    const profile = PROFILE.some((type) => action_types.includes(type))
    const gate = resolveGate({ operator: false, profile, policy, pack: false, min_approvals: 1, prevent_self: true })
    return { policy, gate }
  }
  const other = cedarSet(mix, policies)
  const matched = agree(
    steps.slice(0, Math.max(10, Math.min(200, Math.floor(20_000 / size)))),
    (facts) => resolve(facts).policy.effect,
    other,
  )

  const decide = (index: number) => resolve(steps[index % steps.length] as StepFacts)
  timed(decide, decisions, most_ms / 4)
  const ours = timed(decide, decisions, most_ms)
  const theirs = timed((index) => other(steps[index % steps.length] as StepFacts), decisions, most_ms)
  return {
    mix,
    policies: size,
    matching: matched,
    compile_ms: round(compile_ms, 1),
    ours,
    cedar: theirs,
    ratio: round(theirs.mean_us / ours.mean_us, 1),
  }
}

/** Every decision by the clock, the mean by processor time, which others on the machine do not lengthen; at most `decisions` of them, and no longer than `most_ms`. */
function timed(decide: (index: number) => unknown, decisions: number, most_ms: number) {
  const took: number[] = []
  const end = performance.now() + most_ms
  const spent = process.cpuUsage()
  for (let index = 0; index < decisions && (index < 5 || performance.now() < end); index++) {
    const began = performance.now()
    decide(index)
    took.push((performance.now() - began) * 1_000)
  }
  const { user, system } = process.cpuUsage(spent)
  const mean = (user + system) / took.length
  return {
    mean_us: round(mean),
    p50_us: round(quantile(took, 0.5)),
    p99_us: round(quantile(took, 0.99)),
    per_s: Math.round(1_000_000 / mean),
    decisions: took.length,
  }
}

/** Both sides say the same of every step. Answers how many policies reach a step in the middle. */
function agree(steps: StepFacts[], ours: (facts: StepFacts) => Effect, theirs: (facts: StepFacts) => CedarVerdict) {
  const reached = steps.map((facts) => {
    const [mine, { effect, reasons }] = [ours(facts), theirs(facts)]
    if (mine !== effect) throw new Error(`not the same: ${mine}, Cedar ${effect} for ${JSON.stringify(facts)}`)
    return reasons.length
  })
  return quantile(reached, 0.5)
}

interface CedarVerdict {
  effect: Effect
  reasons: string[]
}

/** The same law over Cedar: each policy permits where it counts, which names it as a reason; the strictest reason decides. */
function cedarSet(mix: Mix, policies: Policy[]): (facts: StepFacts) => CedarVerdict {
  const preparsedPolicySetId = `${mix}-${policies.length}`
  const staticPolicies = Object.fromEntries(policies.map((policy) => [policy.name, cedarText(policy)]))
  const parsed = cedar.preparsePolicySet(preparsedPolicySetId, { staticPolicies })
  if (parsed.type !== 'success') throw new Error(JSON.stringify(parsed.errors.slice(0, 3)))
  const effects = new Map(policies.map(({ name, rules }) => [name, rules[0]?.effect ?? 'deny']))
  const scopes = new Map(policies.map(({ name, scope }) => [name, scope]))
  const uid = (type: string) => ({ type, id: 'x' })

  function judge(subject: PolicySubject): CedarVerdict {
    const answer = cedar.statefulIsAuthorized({
      principal: uid('Run'),
      action: uid('Action'),
      resource: uid('Step'),
      context: {
        environments: [subject.environment, subject.environment_class],
        risk: subject.risk,
        action_types: subject.action_types,
        capabilities: subject.capabilities,
      },
      preparsedPolicySetId,
      entities: [],
    })
    if (answer.type !== 'success') throw new Error(JSON.stringify(answer.errors))
    const reasons = answer.response.diagnostics.reason
    const found = reasons.map((name) => effects.get(name) ?? 'deny')
    const isLet = reasons.some((name) => {
      const types = scopes.get(name)?.action_types ?? []
      const covers = types.length === 0 || subject.action_types.every((type) => types.includes(type))
      return covers && letsThrough({ effect: effects.get(name) ?? 'deny' })
    })
    const usual = subject.environment_class === 'production' && !isLet ? 'require_hitl' : 'allow_auto'
    return { effect: strictest(usual, ...found), reasons }
  }

  return (facts) => {
    const verdicts = stepSubjects(facts).subjects.map(judge)
    const [first = 'deny', ...others] = verdicts.map(({ effect }) => effect)
    return { effect: strictest(first, ...others), reasons: [...new Set(verdicts.flatMap(({ reasons }) => reasons))] }
  }
}

function cedarText({ scope, rules }: Policy): string {
  const whole = rules[0]?.effect === 'allow_auto' ? 'containsAll' : 'containsAny'
  const conditions = [
    ...(scope.environments.length === 0
      ? []
      : [`${JSON.stringify(scope.environments)}.containsAny(context.environments)`]),
    ...(scope.risks.length === 0 ? [] : [`${JSON.stringify(scope.risks)}.contains(context.risk)`]),
    ...(scope.action_types.length === 0
      ? []
      : [`${JSON.stringify(scope.action_types)}.${whole}(context.action_types)`]),
    ...(scope.capabilities.length === 0
      ? []
      : [`${JSON.stringify(scope.capabilities)}.${whole}(context.capabilities)`]),
  ]
  return `permit(principal, action, resource) when { ${conditions.length === 0 ? 'true' : conditions.join(' && ')} };`
}

const CLASSES = ['production', 'staging', 'development', 'sandbox'] as const
const PROFILE = ['sql.write', 'service.drain']
const typeOf = (index: number) => `team${index}.act`

/** Selective: every policy is about a kind of action, as many kinds as there are policies. Dense: about a class of environments, so half of them reach a step. */
function randomPolicy(mix: Mix, size: number, index: number, random: () => number): Policy {
  const pick = <T>(values: readonly T[]) => values[Math.floor(random() * values.length)] as T
  const effect = pick([...EFFECTS.slice(1), 'allow_auto' as const])
  const scope =
    mix === 'selective'
      ? {
          environments: random() < 0.5 ? [pick(CLASSES)] : [],
          risks: random() < 0.3 ? [pick(RISKS)] : [],
          action_types: [typeOf(index), typeOf(Math.floor(random() * size))],
          capabilities: [],
        }
      : { environments: [pick(CLASSES.slice(0, 2))], risks: [], action_types: [], capabilities: [] }
  const rules: Policy['rules'] = [
    {
      effect,
      reason: `reason ${index}`,
      channels: random() < 0.2 ? ['ops'] : [],
      ...(effect === 'require_hitl' && { approval_role: pick(['dba', 'sre']) }),
    },
  ]
  return { name: `policy-${index}`, layer: 'overlay', source: `policy-${index}.yaml`, scope, rules }
}

function randomStep(mix: Mix, size: number, random: () => number): StepFacts {
  const pick = <T>(values: readonly T[]) => values[Math.floor(random() * values.length)] as T
  const some = () => typeOf(Math.floor(random() * size))
  const environment = pick(mix === 'dense' ? CLASSES.slice(0, 2) : CLASSES)
  return {
    environment: { name: environment, class: environment },
    operator: { risk: pick(RISKS), action_type: some(), capabilities: ['http.egress'] },
    declared: {
      risk: pick(RISKS),
      action_types: random() < 0.5 ? [some()] : [],
      action_type: random() < 0.5 ? some() : undefined,
    },
  }
}
