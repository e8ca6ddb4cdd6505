import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { resolveGate } from '#core/gate/resolve.ts'
import { tally, type Vote } from '#core/gate/tally.ts'
import { compilePolicies } from '#core/policy/compile.ts'
import type { Policy } from '#core/policy/layer.ts'
import { PolicyDocument } from '#core/policy/schema.ts'

const FOLDER = 'packs/access/policies'
const policies = readdirSync(FOLDER).map((file): Policy => {
  const { name, applies_to: scope, rules } = PolicyDocument.parse(parse(readFileSync(`${FOLDER}/${file}`, 'utf8')))
  return { name, layer: 'pack', source: file, scope, rules }
})
const none = { policies: [], broken: [] }

/** What the gate of a grant asks for, in an environment that asks for nothing by itself. */
function requiredIn(name: string) {
  const layers = { pack: { policies, broken: [] }, overlay: none, console: none }
  const set = compilePolicies({ layers, environment: { name, class: name, policies: [] } }, { hash: () => 'h' })
  const of = { environment: name, environment_class: name, risk: 'high', capabilities: ['role.write'] } as const
  const policy = set.decide({ ...of, action_types: ['access.grant'], capabilities: [...of.capabilities] })
  const own = { operator: true, profile: false, pack: false, min_approvals: 1, prevent_self: false }
  return resolveGate({ ...own, policy }).required
}
const vote = (by: string, ...roles: string[]): Vote => ({ by, decision: 'approve', roles: ['approver', ...roles] })

test('in production two people grant access: one with both roles is not two', () => {
  const required = requiredIn('production')
  expect(required).toMatchObject({ approvals: 2, prevent_self: true })
  const both = vote('usr_eve', 'access-owner', 'security')
  expect(tally(required, [both], ['usr_ann'])).toBe('open')
  expect(tally(required, [both, { ...both, via: 'usr_robot', behind: ['usr_eve'] }], ['usr_ann'])).toBe('open')
  expect(tally(required, [both, vote('usr_bob')], ['usr_ann'])).toBe('approved')
  expect(tally(required, [vote('usr_bob', 'access-owner'), vote('usr_eve', 'security')], [])).toBe('approved')
})

test('elsewhere one person is enough', () => {
  expect(requiredIn('staging')).toMatchObject({ approvals: 1, approval_roles: [['access-owner']] })
  expect(requiredIn('development')).toMatchObject({ approvals: 1, approval_roles: [] })
})
