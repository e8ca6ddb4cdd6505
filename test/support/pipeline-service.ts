import type { JsonObject } from '#core/json/json.ts'
import type { Pipeline } from '#core/pipeline/schema.ts'
import { startTestService, type TestService, type TestServiceOptions } from './service.ts'

const template = (id: string, body: string) => `apiVersion: svc/v1\nid: ${id}\ntitle: ${id}\nrisk: low\n${body}`

/** Templates that pipelines of tests run: they read, act on a target, fail, or wait. */
export const PIPELINE_PACK: Record<string, string> = {
  'desk/pack.yaml': 'apiVersion: svc/v1\nname: desk\nversion: 1.0.0\ntitle: Desk\ncapabilities: [bus.publish]\n',
  'desk/templates/note.yaml': template(
    'note',
    `inputs: { type: object, properties: { text: { type: string, default: "" }, list: { type: array } } }
steps:
  - { id: report, operator: report.render, with: { title: Noted, body: "{{ inputs.text }}" } }
outputs: { text: "\${{ inputs.text }}", list: "\${{ has(inputs.list) ? inputs.list : [] }}" }
`,
  ),
  'desk/templates/act.yaml': template(
    'act',
    `inputs: { type: object, required: [url], properties: { url: { type: string }, text: { type: string, default: "" } } }
steps:
  - { id: post, operator: http.request, with: { method: POST, url: "\${{ inputs.url }}", json: { text: "\${{ inputs.text }}" } }, retry: { max_attempts: 3, initial: 100ms } }
outputs: { text: "\${{ inputs.text }}", status: "\${{ steps.post.outputs.status }}" }
`,
  ),
  'desk/templates/fail.yaml': template(
    'fail',
    'inputs: { type: object, properties: {} }\nsteps:\n  - { id: stop, operator: core.fail, with: { message: on purpose } }\n',
  ),
  'desk/templates/rest.yaml': template(
    'rest',
    `inputs: { type: object, required: [for], properties: { for: { type: string } } }
steps:
  - { id: wait, operator: core.wait, with: { for: "\${{ inputs.for }}" } }
`,
  ),
  'desk/templates/tell.yaml': template(
    'tell',
    `inputs: { type: object, properties: { name: { type: string, default: done }, data: { type: object } } }
steps:
  - { id: say, operator: bus.publish, with: { event: "said", data: { name: "\${{ inputs.name }}" } } }
`,
  ),
}

export interface PipelineService extends TestService {
  /** starts a pipeline of the bundle `desk`; answers its id */
  begin(name: string, inputs?: JsonObject, more?: JsonObject): Promise<string>
  /** how it stands */
  stands(id: string): Promise<Pipeline>
  /** waits until it has ended */
  ends(id: string, within_ms?: number): Promise<Pipeline>
  /** waits until a step is in one of these states */
  step(id: string, step: string, ...states: string[]): Promise<Pipeline>
}

const ENDS = ['succeeded', 'failed', 'rejected', 'cancelled']

/** The real service with a pack for pipelines, and a bundle `desk` of these pipelines (YAML below `pipelines:`). */
export async function startPipelineService(
  options: Omit<TestServiceOptions, 'files'> & { pipelines: string; files?: Record<string, string> },
): Promise<PipelineService> {
  const { pipelines, ...rest } = options
  const files = {
    ...Object.fromEntries(Object.entries(PIPELINE_PACK).map(([path, text]) => [`packs/${path}`, text])),
    'bundles/desk/pipeline.yaml': `apiVersion: svc/v1\npipelines:\n${indented(pipelines)}`,
    ...rest.files,
  }
  const { homed, ...service } = await homedService({ ...rest, files })
  const world: PipelineService = {
    ...service,
    async begin(name, inputs = {}, more = {}) {
      const { status, body } = await service.call<{ pipeline_id: string }>('POST', '/pipelines/run', {
        ...{ bundle_path: 'desk', pipeline_name: name, inputs },
        ...more,
      })
      if (status !== 202) throw new Error(`${name} was not started: ${status} ${JSON.stringify(body)}`)
      return body.pipeline_id
    },
    stands: async (id) => (await service.call<Pipeline>('GET', `/pipelines/${id}`)).body,
    ends: (id, within_ms) =>
      service.until<Pipeline>(`/pipelines/${id}`, ({ status }) => ENDS.includes(status), within_ms),
    step: (id, step, ...states) =>
      service.until<Pipeline>(`/pipelines/${id}`, ({ steps }) =>
        steps.some((each) => each.id === step && states.includes(each.state)),
      ),
  }
  void homed
  return world
}

function indented(text: string): string {
  return text
    .split('\n')
    .map((line) => (line === '' ? line : `  ${line}`))
    .join('\n')
}

/** What stands in the home of a service is named by its settings only once the home is there. */
async function homedService(options: TestServiceOptions): Promise<TestService & { homed: true }> {
  const service = await startTestService({ ...options, workers: 0, api: false })
  const env = { SVC_PACKS_DIR: `${service.home}/packs`, SVC_PIPELINES_DIR: `${service.home}/bundles` }
  const startApi: TestService['startApi'] = (more) => service.startApi({ ...env, ...more })
  const startWorker: TestService['startWorker'] = (more) => service.startWorker({ ...env, ...more })
  await Promise.all([
    ...(options.api === false ? [] : [startApi()]),
    ...Array.from({ length: options.workers ?? 1 }, () => startWorker()),
  ])
  return { ...service, startApi, startWorker, homed: true }
}
