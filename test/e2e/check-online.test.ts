import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { runCli } from '#test/support/cli.ts'
import { PATIENCE } from '#test/support/patience.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

let service: TestService

beforeAll(async () => {
  service = await startTestService({
    postgres_url: inject('postgres_url'),
    temporal_address: inject('temporal_address'),
    files: {
      'environments/live.yaml': 'name: live\nclass: production\nknowledge: [runbooks]\n',
      'packs/own/pack.yaml':
        'apiVersion: svc/v1\nname: own\nversion: 1.0.0\ntitle: Own\ndescription: Ours.\nlicense: MIT\ntemplates: []\n',
    },
  })
  await service.call('POST', '/ui/api/knowledge', { name: 'runbooks', source: { kind: 'inline' } })
})
afterAll(() => service.stop())

const check = (env: Record<string, string> = {}) =>
  runCli(['check', '--online', '--strict'], {
    env: { SVC_URL: service.url, SVC_HOME: service.home, HOME: service.home, ...env },
  })

test('a normal setup with the shipped packs passes, whether their secrets are set or not', async () => {
  const clean = { code: 0, stdout: 'Nothing is wrong.\n' }
  expect(await check()).toMatchObject(clean)
  expect(await check({ SVC_GITHUB_WEBHOOK_SECRET: 'a secret of some length' })).toMatchObject(clean)
})

test('a pack and a pipeline that come into SVC_HOME are there without a restart', async () => {
  const packs = async () => (await service.call<{ pack: string }[]>('GET', '/packs')).body.map(({ pack }) => pack)
  expect(await packs()).not.toContain('later')
  await mkdir(join(service.home, 'packs/later/templates'), { recursive: true })
  const template = `apiVersion: svc/v1
id: wait
title: Wait
risk: low
action_types: []
inputs: { type: object }
steps:
  - { id: wait, operator: core.wait, with: { for: 1s } }
outputs: {}
`
  await writeFile(join(service.home, 'packs/later/templates/wait.yaml'), template)
  const manifest = `apiVersion: svc/v1
name: later
version: 1.0.0
title: Later
description: It comes later.
license: MIT
templates: [{ id: wait, file: templates/wait.yaml }]
`
  await writeFile(join(service.home, 'packs/later/pack.yaml'), manifest)
  await expect.poll(packs, PATIENCE).toContain('later')
  await mkdir(join(service.home, 'pipelines/nightly'), { recursive: true })
  const bundle =
    'apiVersion: svc/v1\npipelines:\n  nightly:\n    title: Wait\n    steps:\n      - { id: wait, uses: later/wait, timeout: 10m }\n'
  await writeFile(join(service.home, 'pipelines/nightly/pipeline.yaml'), bundle)
  const { body } = await service.call<{ path: string }[]>('GET', '/console/api/pipeline-bundles')
  expect(JSON.stringify(body)).toContain('"nightly"')
})
