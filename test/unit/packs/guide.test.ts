import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createOperators } from '#activities/operators/index.ts'
import { faultText } from '#core/file-fault.ts'
import { createEgressClient } from '#platform/egress/egress-client.ts'
import { createEnvironmentSource } from '#platform/environments/environment-source.ts'
import { loadPack } from '#platform/packs/pack-loader.ts'
import { parsePolicyYaml } from '#platform/policies/parse-policy-yaml.ts'
import { temporaryFolder } from '../platform/packs/pack-folder.ts'

const guide = readFileSync(new URL('../../../docs/packs.md', import.meta.url), 'utf8')
const examples = [...guide.matchAll(/```yaml\n(.*?)```/gs)].map(([, text]) => text ?? '')
const log = { info: () => undefined, warn: () => undefined }
let folder: ReturnType<typeof temporaryFolder>

beforeEach(() => {
  folder = temporaryFolder()
})
afterEach(() => folder.remove())

function example(beginning: RegExp): string {
  const found = examples.find((text) => beginning.test(text))
  if (found === undefined) throw new Error(`the guide has no example like ${beginning}`)
  return found
}

describe('the examples of docs/packs.md', () => {
  it('make a sound pack', () => {
    const files = {
      'sre/pack.yaml': `${example(/^name: sre/m)}${example(/^ingress:/m)}`,
      'sre/templates/service-recovery.yaml': example(/^id: service-recovery/m),
      'sre/templates/service-recovery.md.liquid': 'done',
      'sre/rules/alerts.yaml': example(/^- name: service-unhealthy/m),
      'sre/policies/dba.yaml': example(/^name: db-writes/m),
    }
    folder.write(files)
    const { pack, faults } = loadPack(join(folder.root, 'sre'), createOperators({ egress: createEgressClient() }))
    expect(faults.map(faultText)).toEqual([])
    expect(pack?.rules).toHaveLength(1)
    expect(pack?.ingress).toHaveLength(1)
    const [policy] = pack?.policies ?? []
    expect(parsePolicyYaml(policy?.text ?? '', { layer: 'pack', source: 'docs' }).policies).toHaveLength(1)
  })

  it('make a sound environment', () => {
    folder.write({ 'environments/staging.yaml': example(/^name: staging/m) })
    const environments = createEnvironmentSource({ home: folder.root, log })
    environments.close()
    expect(environments.errors().map(faultText)).toEqual([])
    expect(environments.get('staging')).toMatchObject({ approval: { min_approvals: 2 }, egress: ['10.0.0.0/8'] })
  })
})
