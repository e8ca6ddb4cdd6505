import { expect, it } from 'vitest'
import { breakUnresolved } from '#core/policy/break-unresolved.ts'
import { parsePolicies } from '#core/policy/parse.ts'

const [NFC, NFD] = ['café.öffnen'.normalize('NFC'), 'café.öffnen'.normalize('NFD')]

it.each([
  [NFC, NFD],
  [NFD, NFC],
])('a policy for a type of action that is written in another form of Unicode is in force: %s, %s', (said, known) => {
  const layer = parsePolicies(
    { name: 'one', applies_to: { action_types: [said] }, rules: [{ effect: 'deny' }] },
    { layer: 'overlay', source: 'one.yaml' },
  )
  const names = { environments: [], action_types: [known], capabilities: [] }
  expect(breakUnresolved(layer, names, [])).toBe(layer)
  expect(layer.policies).toHaveLength(1)
})
