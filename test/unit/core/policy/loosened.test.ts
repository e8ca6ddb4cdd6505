import { describe, expect, test } from 'vitest'
import { EMPTY_LAYER, type LayerPolicies } from '#core/policy/layer.ts'
import { loosenedBy } from '#core/policy/loosened.ts'
import type { PolicyLayer } from '#core/policy/types.ts'
import { parsePolicyYaml } from '#platform/policies/parse-policy-yaml.ts'

const NONE = { pack: EMPTY_LAYER, overlay: EMPTY_LAYER, console: EMPTY_LAYER }
const policy = (rule: string, where = 'production') =>
  `name: guard\napplies_to: { environments: [${where}] }\nrules: [{ ${rule} }]\n`
const layer = (text: string, of: PolicyLayer): LayerPolicies =>
  parsePolicyYaml(text, { layer: of, source: 'guard.yaml' })
const overlay = (text: string) => ({ ...NONE, overlay: layer(text, 'overlay') })
const names = (...states: Parameters<typeof loosenedBy>) => [...loosenedBy(...states)]

describe('a change of policies may have loosened something', () => {
  const ask = policy('effect: require_hitl, approval_role: dba')
  test.each([
    ['a weaker effect', ask, policy('effect: allow_auto')],
    ['another role', ask, policy('effect: require_hitl, approval_role: anyone')],
    ['a narrower scope', ask, policy('effect: require_hitl, approval_role: dba', 'staging')],
    ['a policy that is gone', ask, ''],
    ['a denial that is broken now and asks a person only', policy('effect: deny'), policy('effect: DENY')],
    ['a new policy that lets through', '', policy('effect: allow_auto')],
    ['a wider scope of what lets through', policy('effect: allow_auto', 'staging'), policy('effect: allow_auto')],
  ])('by %s', (_, before, after) => {
    expect(names(overlay(before), overlay(after))).toEqual(['guard'])
  })

  test('by what takes the place of a stricter policy below', () => {
    const pack = { ...NONE, pack: layer(policy('effect: deny'), 'pack') }
    expect(names(pack, { ...pack, console: layer(ask, 'console') })).toEqual(['guard'])
    expect(names(pack, { ...pack, console: layer(policy('effect: deny'), 'console') })).toEqual([])
  })

  test.each([
    ['a stricter effect', ask, policy('effect: deny')],
    ['the same again', ask, ask],
    ['a new policy that asks', '', ask],
    ['an end of what let through', policy('effect: allow_auto'), ''],
    ['another place in the files', ask, `# moved\n${ask}`],
  ])('but not by %s', (_, before, after) => {
    expect(names(overlay(before), overlay(after))).toEqual([])
  })
})
