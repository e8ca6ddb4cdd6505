import { expect, test } from 'vitest'
import { CONNECTION_KINDS } from '#core/connection/kind-schema.ts'
import { withConnections } from '../../../console/src/lib/document-schema.ts'
import { type DocumentSchema, suggestYaml } from '../../../console/src/lib/suggest-yaml.ts'
import { yamlPosition } from '../../../console/src/lib/yaml-position.ts'
import openapi from '../../pins/openapi.json' with { type: 'json' }

test.each([
  ['', [], false, ''],
  ['na', [], false, 'na'],
  ['name: ', ['name'], true, ''],
  ['name: nig', ['name'], true, 'nig'],
  ['applies_to:\n  ', ['applies_to'], false, ''],
  ['applies_to:\n  risks:\n    - lo', ['applies_to', 'risks'], false, 'lo'],
  ['applies_to:\n  risks: [low, hi', ['applies_to', 'risks'], false, 'hi'],
  ['rules:\n  - ', ['rules'], false, ''],
  ['rules:\n- eff', ['rules'], false, 'eff'],
  ['rules:\n  - effect: deny\n    reas', ['rules'], false, 'reas'],
  ['rules:\n  - effect: deny\n    # words: of a note\n    require_note: al', ['rules', 'require_note'], true, 'al'],
  ['rules:\n  - { effect: de', ['rules', 'effect'], true, 'de'],
  ['rules:\n  - { effect: deny, re', ['rules'], false, 're'],
  ['applies_to: { risks: [low], ', ['applies_to'], false, ''],
  ['applies_to: { risks: [low] }\nru', [], false, 'ru'],
  ['rules:\n  - effect: deny\nname: a\n', [], false, ''],
  ['connections:\n  api: { kind: http, url: ', ['connections', 'api', 'url'], true, ''],
  ['connections:\n  api: { kind: http, url: "connection:bi', ['connections', 'api', 'url'], true, 'connection:bi'],
  ['connections:\n  api:\n    url: connection:', ['connections', 'api', 'url'], true, 'connection:'],
])('the caret after %j stands in %j', (before, keys, is_value, word) => {
  expect(yamlPosition(before)).toEqual({ keys, is_value, word })
})

const POLICY: DocumentSchema = openapi.paths['/ui/api/policies'].post.requestBody.content['application/json'].schema
const RULE: DocumentSchema = openapi.paths['/ui/api/triggers'].post.requestBody.content['application/json'].schema
const ENVIRONMENT: DocumentSchema = withConnections(
  openapi.paths['/ui/api/environments'].post.requestBody.content['application/json'].schema,
  ['billing-api', 'orders'],
)
const offered = (schema: DocumentSchema, before: string) =>
  suggestYaml(schema, yamlPosition(before)).map(({ insert }) => insert)

test.each([
  [POLICY, '', ['apiVersion: ', 'name: ', 'description: ', 'applies_to: ', 'rules: ']],
  [
    POLICY,
    'rules:\n  - ',
    ['effect: ', 'reason: ', 'channels: ', 'approval_role: ', 'require_note: ', 'prevent_self: ', 'min_approvals: '],
  ],
  [POLICY, 'rules:\n  - effect: ', ['deny', 'require_hitl', 'require_dry_run', 'allow_auto']],
  [POLICY, 'applies_to: { risks: [lo', ['low', 'medium', 'high']],
  [POLICY, 'applies_to:\n  risks:\n    - ', ['low', 'medium', 'high']],
  // a list is wanted there, and none of what it holds
  [POLICY, 'applies_to:\n  risks: ', []],
  [POLICY, 'name: ', []],
  [POLICY, 'nonsense:\n  ', []],
  [ENVIRONMENT, 'connections:\n  api: { ', ['kind: ', 'url: ']],
  [ENVIRONMENT, 'connections:\n  api: { kind: ', [...CONNECTION_KINDS]],
  [ENVIRONMENT, 'connections:\n  api: { kind: http, url: "con', ['connection:billing-api', 'connection:orders']],
  [RULE, 'on: ', ['alert', 'pattern', 'ingress']],
  [RULE, 'match:\n  severity: [', ['critical', 'high', 'medium', 'low', 'info']],
] as const)('by the schema of the API %#, %j may go on with %j', (schema, before, wanted) => {
  expect(offered(schema, before)).toEqual(wanted)
})

test('what a document must have is marked', () => {
  const required = suggestYaml(POLICY, yamlPosition('')).filter(({ is_required }) => is_required)
  expect(required.map(({ label }) => label)).toEqual(['name', 'rules'])
})
