import { afterEach, expect, test } from 'vitest'
import { createOperators } from '#activities/operators/index.ts'
import { checkDeployment } from '#platform/check/check-deployment.ts'
import { readDefaultPolicies } from '#platform/deployment-content.ts'
import { createEgressClient } from '#platform/egress/egress-client.ts'
import { packDirs, SHIPPED } from '#platform/packs/pack-registry.ts'
import { temporaryFolder } from '../packs/pack-folder.ts'

const folder = temporaryFolder()
afterEach(folder.remove)

function findings(approval_roles: string[]) {
  return checkDeployment({
    home: folder.root,
    policiesDir: `${folder.root}/policies`,
    modelsFile: `${folder.root}/models.yaml`,
    packDirs: packDirs(`${folder.root}/packs`),
    pipelinesDir: `${folder.root}/pipelines`,
    catalog: createOperators({ egress: createEgressClient() }),
    defaults: readDefaultPolicies(),
    shippedDir: SHIPPED,
    online: { approval_roles },
  }).findings
}

test('the approvers of a shipped pack are asked for once an environment has a connection that the pack names', () => {
  folder.write({ 'environments/live.yaml': 'name: live\nclass: production\n' })
  expect(findings([])).toEqual([])
  const connections = 'connections:\n  maintenance: { kind: postgres, url: env:ORDERS_URL }\n'
  const others = connections.replace('maintenance', 'orders')
  folder.write({ 'environments/live.yaml': `name: live\nclass: production\n${others}` })
  expect(findings([])).toEqual([])
  folder.write({ 'environments/live.yaml': `name: live\nclass: production\n${connections}` })
  expect(findings([])).toMatchObject([{ message: 'no user holds the role dba', warning: true }])
  expect(findings(['dba'])).toEqual([])
})
