import { Command } from 'commander'
import { expect, test } from 'vitest'
import { registerPipelineBundles } from '#cli/commands/pipeline/bundles.ts'
import type { Schema } from '#client/create-client.ts'

const pipeline = (name: string, required: string[] = []) => ({
  ...{ name, title: `Do ${name}`, steps: [] },
  inputs_schema: {
    required,
    properties: { n: { type: 'integer', default: 1, title: 'How many' }, url: { type: 'string' } },
  },
})
const BUNDLES: Schema<'PipelineBundle'>[] = [
  { path: 'cost', digest: 'sha256:0', pipelines: [pipeline('spend', ['url']), pipeline('slow')], faults: [] },
  { path: 'db/nightly', digest: 'sha256:1', pipelines: [pipeline('nightly', ['url'])], faults: [] },
  { path: 'broken', pipelines: [], faults: ['broken/pipeline.yaml:4:5: no title', 'broken/pipeline.yaml:9:5: more'] },
]

async function bundles(...args: string[]): Promise<string[]> {
  const lines: string[] = []
  const program = new Command()
  registerPipelineBundles(program.command('pipeline'), {
    api: () => ({ bundles: async () => BUNDLES }),
    out: (line) => void lines.push(line),
    err: (line) => void lines.push(line),
    screen: () => undefined,
  })
  await program.parseAsync(['pipeline', 'bundles', ...args], { from: 'user' })
  return lines
}

test('lists every pipeline that can be started, and says why others cannot', async () => {
  const rows = (await bundles()).map((line) => line.split(/ {2,}/))
  expect(rows).toEqual([
    ['BUNDLE', 'PIPELINE', 'INPUTS', 'TITLE'],
    ['cost', 'spend', 'url [n]', 'Do spend'],
    ['cost', 'slow', '[n] [url]', 'Do slow'],
    ['db/nightly', 'nightly', 'url [n]', 'Do nightly'],
    ['broken', 'cannot be started: broken/pipeline.yaml:4:5: no title, and 1 more'],
  ])
  expect((await bundles('--json')).map((line) => JSON.parse(line))).toEqual(BUNDLES)
})

test('shows what one takes, and how it is started', async () => {
  const lines = await bundles('cost')
  expect(lines).toContain('start it with: svc pipeline run cost spend -i url=…')
  expect(lines).toContain('start it with: svc pipeline run cost slow')
  expect(await bundles('db/nightly')).toContain('start it with: svc pipeline run db/nightly -i url=…')
  expect(lines.filter((line) => /^n +integer +1 +How many$/.test(line))).toHaveLength(2)
  expect(await bundles('broken')).toEqual([
    'broken',
    '  broken/pipeline.yaml:4:5: no title',
    '  broken/pipeline.yaml:9:5: more',
  ])
  await expect(bundles('cots')).rejects.toMatchObject({
    code: 'not_found',
    message: 'there is no bundle cots; did you mean cost?',
  })
})
