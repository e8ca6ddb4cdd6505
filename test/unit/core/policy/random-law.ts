import { seededRandom } from '#test/support/seeded-random.ts'
import type { NaiveStep, WrittenPolicy } from './naive-law.ts'

const TYPES = ['read', 'http.write', 'service.restart', 'sql.write', 'z\u00fcrich', 'zu\u0308rich']
const CAPABILITIES = ['http.egress', 'sql.write', 'llm']
const ENVIRONMENTS = ['production', 'staging', 'development', 'eu-1', 'Production']
const RISKS = ['low', 'medium', 'high']
const NAMES = ['a', 'b', 'c', 'd', 'z\u00fc', 'zu\u0308']
const EFFECTS = ['deny', 'require_hitl', 'require_dry_run', 'allow_auto']

export interface RandomWorld {
  written: WrittenPolicy[]
  attached: string[]
}

/**
 * Policies as people write them, with every way to break one, and steps of every kind; all that follows from the seed. With
 * `few` there are few of them, and most let through: then one value more or less makes a difference.
 */
export function randomLaw(seed: number, { few = false } = {}) {
  const random = seededRandom(seed)
  const chance = (share: number) => random() < share
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T
  const some = <T>(values: readonly T[], most: number): T[] => {
    const count = Math.floor(random() * (most + 1))
    return [...new Set(Array.from({ length: count }, () => pick(values)))]
  }

  const whitelist = (values: readonly string[]) => (chance(0.55) ? undefined : some(values, 3))

  function rule(): Record<string, unknown> {
    return {
      effect: few && chance(0.8) ? pick(['allow_auto', 'require_dry_run']) : pick([...EFFECTS, 'allow_auto']),
      ...(chance(0.3) ? { reason: 'because' } : {}),
      ...(chance(0.3) ? { channels: chance(0.2) ? null : some(['ops', 'chat', 'mail'], 2) } : {}),
      ...(chance(0.3) ? { approval_role: pick(['dba', 'sre', 'owner']) } : {}),
      ...(chance(0.2) ? { require_note: pick(['always', 'reject']) } : {}),
      ...(chance(0.2) ? { prevent_self: true } : {}),
      ...(chance(0.2) ? { min_approvals: chance(0.05) ? pick([0, 101, 1.5, '2']) : pick([1, 2, 3]) } : {}),
    }
  }

  function scope(): Record<string, unknown> | null | undefined {
    if (chance(0.15)) return chance(0.5) ? null : undefined
    const lists = {
      environments: whitelist(ENVIRONMENTS),
      risks: whitelist(RISKS),
      action_types: whitelist(TYPES),
      capabilities: whitelist(CAPABILITIES),
    }
    return Object.fromEntries(Object.entries(lists).filter(([, list]) => list !== undefined || chance(0.1)))
  }

  function sound(name: string): Record<string, unknown> {
    const applies_to = scope()
    return {
      ...(chance(0.2) ? { apiVersion: 'svc/v1' } : {}),
      name,
      ...(applies_to !== undefined && { applies_to }),
      rules: Array.from({ length: chance(0.6) ? 1 : 1 + Math.floor(random() * 3) }, rule),
    }
  }

  function broken(name: string): unknown {
    const document = sound(name)
    const [first = {}] = document['rules'] as Record<string, unknown>[]
    return pick<() => unknown>([
      () => ({ ...document, rules: [{ ...first, effect: 'DENY' }] }),
      () => ({ ...document, rules: [{ ...first, approval_rule: 'dba' }] }),
      () => ({ ...document, rules: [{ ...first, channels: [''] }] }),
      () => ({ ...document, rules: [] }),
      () => ({ ...document, rules: undefined }),
      () => ({ ...document, rules: { ...first } }),
      () => ({ ...document, apply_to: {} }),
      () => ({ ...document, apiVersion: 'svc/v2' }),
      () => ({ ...document, name: '' }),
      () => ({ ...document, applies_to: { risk: ['high'] } }),
      () => ({ ...document, applies_to: { risks: ['highest'] } }),
      () => ({ ...document, applies_to: { action_types: 'read' } }),
      () => ({ ...document, applies_to: [] }),
      () => name,
      () => 7,
    ])()
  }

  function written(layer: WrittenPolicy['layer'], index: number): WrittenPolicy {
    const name = pick(NAMES)
    const document = chance(few ? 0.03 : 0.1) ? broken(name) : sound(name)
    const source = `${layer}-${index}`
    if (layer === 'pack') return { layer, source, pack: pick(['one', 'two']), document }
    if (layer === 'overlay') return { layer, source, document }
    return { layer, source, document, stored_as: chance(0.1) ? pick(NAMES) : name }
  }

  return {
    world(): RandomWorld {
      const share = few || chance(0.5) ? 0.4 : 1
      const layer = (name: WrittenPolicy['layer'], most: number) =>
        Array.from({ length: Math.floor(random() * share * (most + 1)) }, (_, index) => written(name, index))
      // the store holds one row a name
      const rows = new Map(layer('console', 3).map((each) => [each.stored_as?.normalize('NFC'), each]))
      return {
        written: [...layer('pack', 4), ...layer('overlay', 3), ...rows.values()],
        attached: chance(0.5) ? [] : some([...NAMES, 'gone'], 3),
      }
    },
    step(): NaiveStep {
      return {
        environment: {
          name: pick(ENVIRONMENTS),
          class: few
            ? pick(['production', 'staging'])
            : pick(['production', 'staging', 'development', 'sandbox', 'prodution']),
        },
        template: { risk: pick(RISKS), action_types: some(TYPES, 2) },
        step: { requires_approval: chance(0.1), ...(chance(0.5) ? { action_type: pick(TYPES) } : {}) },
        operator: {
          says: pick(['read', 'read', 'http.write', 'sql.write']),
          risk: pick(RISKS),
          capabilities: some(CAPABILITIES, 2),
          requires_approval: chance(0.1),
        },
        profile: chance(0.3) ? some(TYPES, 2) : [],
      }
    },
    type: () => pick(TYPES),
    coin: () => chance(0.5),
  }
}
