import { afterEach, expect, test } from 'vitest'
import { createOperators } from '#activities/operators/index.ts'
import { followDeployment } from '#platform/check/follow-deployment.ts'
import { createEgressClient } from '#platform/egress/egress-client.ts'
import { temporaryFolder } from '../packs/pack-folder.ts'
import { SOUND } from './sound-deployment.ts'

const folder = temporaryFolder()
afterEach(folder.remove)

test('tells a fault once, again when what it names is gone once more, and when nothing is wrong any more', async () => {
  folder.write(SOUND)
  const lines: { message: string; problems?: string[] }[] = []
  const record = (fields: object, message: string) => void lines.push({ message, ...fields })
  const followed = followDeployment({
    home: folder.root,
    policiesDir: `${folder.root}/policies`,
    modelsFile: `${folder.root}/models.yaml`,
    packDirs: [`${folder.root}/packs`],
    catalog: createOperators({ egress: createEgressClient() }),
    defaults: [],
    online: { console_policies: [] },
    log: { info: record, warn: record },
    follow: { poll_ms: 10 },
  })
  const seen = async (count: number) => {
    while (followed.findings().length !== count) await new Promise((resolve) => setTimeout(resolve, 5))
  }
  try {
    expect(followed.findings()).toEqual([])
    // only a running service knows which workspaces there are
    expect(followed.findings({ console_policies: [], workspaces: ['default', 'shops'] })).toMatchObject([
      { file: 'environments/live.yaml', line: 4, message: 'there is no workspace shop; did you mean shops?' },
    ])
    expect(followed.findings({ console_policies: [], workspaces: ['default', 'shop'] })).toEqual([])
    const rule = SOUND['rules/nodes.yaml'] ?? ''
    folder.write({ 'rules/nodes.yaml': rule.replace('environment: live', 'environment: lvie') })
    await seen(1)
    const attached = `${SOUND['environments/live.yaml']}policies: [absent]\n`
    folder.write({ 'environments/live.yaml': attached })
    await seen(2)
    expect(followed.findings({ console_policies: ['absent'] })).toHaveLength(1)
    folder.write({ 'rules/nodes.yaml': rule })
    await seen(0)
    const well = 'the files of this deployment have no fault now'
    expect(lines.map(({ message, problems }) => problems ?? message)).toEqual([
      [expect.stringContaining('there is no workspace shop; did you mean shops?')],
      well,
      [expect.stringMatching(/^rules\/nodes.yaml:8:16: there is no environment lvie; did you mean live\?$/)],
      [expect.stringMatching(/^environments\/live.yaml:\d+:\d+: there is no console policy absent$/)],
      well,
    ])
  } finally {
    followed.close()
  }
})

test('a bundle of the deployment that changes is checked again', async () => {
  const bundle = (title: string) => `apiVersion: svc/v1
pipelines: { wait: { ${title}, steps: [{ id: wait, schedule: 15m }] } }
`
  folder.write({ 'flows/wait/pipeline.yaml': bundle('title: Wait') })
  const followed = followDeployment({
    home: folder.root,
    policiesDir: `${folder.root}/policies`,
    modelsFile: `${folder.root}/models.yaml`,
    packDirs: [],
    pipelinesDir: `${folder.root}/flows`,
    catalog: createOperators({ egress: createEgressClient() }),
    defaults: [],
    log: { info: () => undefined, warn: () => undefined },
    follow: { poll_ms: 10 },
  })
  const ofBundles = () => followed.findings().filter(({ file }) => file.startsWith('pipelines/'))
  try {
    expect(ofBundles()).toEqual([])
    folder.write({ 'flows/wait/pipeline.yaml': bundle('title: Wait, colour: red') })
    while (ofBundles().length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    expect(ofBundles()).toMatchObject([
      { file: 'pipelines/wait/pipeline.yaml', line: 2, message: 'colour: unknown key "colour"' },
    ])
  } finally {
    followed.close()
  }
})

test('a file that is empty for a moment, while it is written, is no fault', async () => {
  folder.write(SOUND)
  const lines: string[] = []
  let now = 1_000
  const followed = followDeployment({
    home: folder.root,
    policiesDir: `${folder.root}/policies`,
    modelsFile: `${folder.root}/models.yaml`,
    packDirs: [`${folder.root}/packs`],
    catalog: createOperators({ egress: createEgressClient() }),
    defaults: [],
    log: { info: (_fields, message) => void lines.push(message), warn: (_fields, message) => void lines.push(message) },
    follow: { poll_ms: 5, clock: () => now },
  })
  const looks = () => new Promise((resolve) => setTimeout(resolve, 60))
  try {
    folder.write({ 'environments/live.yaml': '' })
    await looks()
    now += 10
    folder.write({ 'environments/live.yaml': `${SOUND['environments/live.yaml']}# written\n` })
    await looks()
    now += 100
    await looks()
    expect([lines, followed.findings()]).toEqual([[], []])
    // one that stays empty is
    folder.write({ 'environments/live.yaml': '' })
    await looks()
    now += 100
    while (followed.findings().length === 0) await looks()
    expect(lines).toHaveLength(1)
  } finally {
    followed.close()
  }
})
