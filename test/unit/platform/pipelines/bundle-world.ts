import type { FileFault } from '#core/file-fault.ts'
import type { JsonObject } from '#core/json/json.ts'
import type { PipelineTemplates } from '#core/pipeline/pipeline-facts.ts'
import { createPipelineSource } from '#platform/pipelines/pipeline-source.ts'
import { temporaryFolder } from '../packs/pack-folder.ts'

const digest = (letter: string) => `sha256:${letter.repeat(64)}`

function template(letter: string, inputs_schema: JsonObject, ...outputs: string[]) {
  return {
    inputs_schema,
    outputs: Object.fromEntries(outputs.map((name) => [name, 1])),
    plan: { digest: digest(letter) },
  }
}

const text = { type: 'string' }

/** The templates that the bundles of these tests run. */
const TEMPLATES: PipelineTemplates = new Map([
  [
    'data/profile',
    template(
      'a',
      {
        type: 'object',
        required: ['url'],
        properties: { url: text, rows: { type: 'integer', default: 10 }, mode: { enum: ['full', 'sample'] } },
      },
      'rows',
      'tables',
    ),
  ],
  ['data/publish', template('b', { type: 'object', required: ['version'], properties: { version: text } }, 'version')],
  ['data/withdraw', template('c', { type: 'object', required: ['version'], properties: { version: text } })],
  ['data/free', template('d', { type: 'object', properties: {} })],
  [
    'data/login',
    template('e', {
      type: 'object',
      properties: { user: text, login: { type: 'object', properties: { password: { ...text, writeOnly: true } } } },
    }),
  ],
  [
    'data/token',
    template('f', { type: 'object', required: ['token'], properties: { token: { ...text, secret: true } } }),
  ],
  ['data/rows', template('9', { type: 'object', properties: { rows: text } })],
  ['data/torn', undefined],
])

export type BundleWorld = ReturnType<typeof bundleWorld>

/** A directory of bundles on this file system, and what reads it. */
export function bundleWorld() {
  const folder = temporaryFolder()
  const directory = `${folder.root}/pipelines`
  const packRoot = { directory: `${folder.root}/packs/data/pipelines`, confines: `${folder.root}/packs/data` }
  const source = createPipelineSource({
    roots: () => [
      { directory, confines: directory, shown: 'pipelines' },
      { ...packRoot, pack: 'data', shown: 'data/pipelines' },
    ],
    templates: () => TEMPLATES,
  })
  return {
    ...folder,
    directory,
    source,
    /** what is wrong with a bundle that has this `pipeline.yaml` */
    faultsOf(yaml: string): FileFault[] {
      folder.write({ 'pipelines/one/pipeline.yaml': yaml })
      return source.list().bundles.flatMap(({ faults }) => faults)
    },
  }
}

/** A bundle with one pipeline of these steps. */
export function pipelineYaml(steps: string, rest = ''): string {
  return `apiVersion: svc/v1
pipelines:
  release:
    title: Release a dataset
    inputs:
      type: object
      required: [url]
      properties: { url: { type: string }, count: { type: integer } }
${rest}    steps:
${steps}`
}
