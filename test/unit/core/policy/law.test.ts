import { describe, expect, it } from 'vitest'
import { resolveGate } from '#core/gate/resolve.ts'
import { type CompiledPolicies, compilePolicies } from '#core/policy/compile.ts'
import { joinLayers, type PolicyLayers } from '#core/policy/layer.ts'
import { parsePolicies } from '#core/policy/parse.ts'
import { stepSubjects } from '#core/policy/step-subjects.ts'
import { rankOf } from '#core/policy/strictness.ts'
import { NOTE_RULES, type PolicyLayer, type Risk } from '#core/policy/types.ts'
import { type NaiveStep, type NaiveVerdict, naiveLaw } from './naive-law.ts'
import { type RandomWorld, randomLaw } from './random-law.ts'

/** Steps that each set of policies is asked about; with them 20,000 a seed. */
const STEPS = 20
const WORLDS = 1_000

const setOf = (values: string[]) => [...new Set(values)].sort()

/** The law as it is in force: parsed, merged, indexed, judged twice, resolved from the four authorities. */
function compiled({ written, attached }: RandomWorld): CompiledPolicies {
  const layer = (wanted: PolicyLayer) =>
    joinLayers(
      written
        .filter((each) => each.layer === wanted)
        .map(({ layer, source, pack, stored_as, document }) =>
          parsePolicies(document, {
            layer,
            source,
            ...(pack !== undefined && { pack }),
            ...(stored_as !== undefined && { name: stored_as, author: 'usr_1' }),
          }),
        ),
    )
  const layers: PolicyLayers = { pack: layer('pack'), overlay: layer('overlay'), console: layer('console') }
  const environment = { name: 'any', class: 'production', policies: attached }
  return compilePolicies({ layers, environment }, { hash: (text) => text })
}

function judged(set: CompiledPolicies, about: NaiveStep) {
  const { is_read, action_types, subjects } = stepSubjects({
    environment: about.environment,
    operator: { ...about.operator, risk: about.operator.risk as Risk, action_type: about.operator.says },
    declared: {
      risk: about.template.risk as Risk,
      action_types: about.template.action_types,
      action_type: about.step.action_type,
    },
  })
  const verdict = set.decide(...subjects)
  const gate = resolveGate({
    operator: about.operator.requires_approval,
    profile: action_types.some((type) => about.profile.includes(type)),
    policy: verdict,
    pack: about.step.requires_approval,
    min_approvals: 1,
    prevent_self: false,
  })
  return { is_read, verdict, gate }
}

/** What the law says, in the words of the naive reading. */
function verdictOf(set: CompiledPolicies, about: NaiveStep): NaiveVerdict {
  const { is_read, verdict, gate } = judged(set, about)
  const { operator, profile, pack } = gate.authorities
  return {
    is_read,
    effect: verdict.effect,
    dry_run: verdict.dry_run,
    counted: setOf(
      verdict.matched
        .filter(({ reason }) => !reason.startsWith('broken policy'))
        .map(({ name, effect }) => `${name} ${effect}`),
    ),
    roles: setOf(verdict.approval_roles.flat()),
    channels: setOf(verdict.channels),
    note: verdict.require_note ?? 'none',
    prevent_self: gate.required.prevent_self,
    approvals: gate.required.approvals,
    broken: setOf(verdict.broken_policies),
    gate: { operator, profile, pack, policy: verdict.effect === 'require_hitl' || verdict.broken_policies.length > 0 },
  }
}

describe('the policy law', () => {
  it.each([1, 2, 3])('equals an independent reading of it, 20,000 cases of seed %i', (seed) => {
    const law = randomLaw(seed)
    const seen = new Set<string>()
    for (let world = 0; world < WORLDS; world++) {
      const policies = law.world()
      const set = compiled(policies)
      const naive = naiveLaw(policies.written, policies.attached)
      for (let each = 0; each < STEPS; each++) {
        const about = law.step()
        const expected = naive(about)
        const actual = verdictOf(set, about)
        if (JSON.stringify(actual) !== JSON.stringify(expected)) {
          expect({ policies, about, ...actual }).toEqual({ policies, about, ...expected })
        }
        const on = judged(set, about).gate.on
        const votes = Object.values(expected.gate)
        if (on !== votes.includes(true)) expect({ policies, about, on }).toEqual({ policies, about, on: !on })
        seen.add(`${expected.effect} ${expected.is_read} ${expected.broken.length > 0} ${expected.dry_run}`)
      }
    }
    // every kind of answer that there can be was among them
    expect(seen.size).toBe(20)
  })

  it.each([4, 5, 6])(
    'never gets laxer by an action type more on a step or a template, 20,000 cases of seed %i',
    (seed) => {
      const law = randomLaw(seed, { few: true })
      let differed = 0
      for (let world = 0; world < WORLDS; world++) {
        const policies = law.world()
        const set = compiled(policies)
        for (let each = 0; each < STEPS; each++) {
          const about = law.step()
          const type = law.type()
          const onStep = about.step.action_type === undefined && law.coin()
          const more: NaiveStep = onStep
            ? { ...about, step: { ...about.step, action_type: type } }
            : { ...about, template: { ...about.template, action_types: [...about.template.action_types, type] } }
          const [before, after] = [judged(set, about), judged(set, more)]
          const laxer = laxerBy(before, after)
          if (laxer.length > 0) expect({ policies, about, more, laxer }).toEqual({ policies, about, more, laxer: [] })
          if (before.verdict.effect !== after.verdict.effect) differed++
        }
      }
      expect(differed).toBeGreaterThan(50)
    },
  )
})

type Judged = ReturnType<typeof judged>

/** Everything that `before` asked for and `after` does not. */
function laxerBy(before: Judged, after: Judged): string[] {
  const roles = (each: Judged) => each.gate.required.approval_roles.map((clause) => clause.join())
  const note = (each: Judged) =>
    NOTE_RULES.indexOf(each.verdict.require_note ?? 'reject') + (each.verdict.require_note ? 0 : 1)
  return [
    ...(rankOf(after.verdict.effect) > rankOf(before.verdict.effect) ? ['effect'] : []),
    // what is refused has no gate
    ...(before.gate.on && !after.gate.on && after.verdict.effect !== 'deny' ? ['gate'] : []),
    ...(before.verdict.dry_run && !after.verdict.dry_run ? ['simulation'] : []),
    ...(roles(before).some((role) => !roles(after).includes(role)) ? ['roles'] : []),
    ...(note(after) > note(before) ? ['note'] : []),
    ...(before.gate.required.prevent_self && !after.gate.required.prevent_self ? ['prevent_self'] : []),
    ...(before.gate.required.approvals > after.gate.required.approvals ? ['approvals'] : []),
    ...(before.verdict.broken_policies.some((name) => !after.verdict.broken_policies.includes(name)) ? ['broken'] : []),
    ...(before.gate.authorities.profile && !after.gate.authorities.profile ? ['profile'] : []),
    ...(!before.is_read && after.is_read ? ['read'] : []),
  ]
}
