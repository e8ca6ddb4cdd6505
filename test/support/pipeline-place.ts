import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PipelineClaim } from '#core/pipeline/contract.ts'
import type { GateOpening } from '#core/run/patch.ts'
import { templatesByName } from '#platform/packs/loaded-pack.ts'
import { pipelineRoots } from '#platform/pipelines/pipeline-roots.ts'
import { createPipelineSource, type PipelineSource } from '#platform/pipelines/pipeline-source.ts'
import { advanceBeside, advancePipeline } from '#services/pipelines/advance-pipeline.ts'
import type { AdvanceDeps } from '#services/pipelines/ports.ts'
import { createBusReads } from '#store/bus/bus-reads.ts'
import type { TestApi } from './api-client.ts'
import { onePack } from './one-pack.ts'
import { createRecordDeps } from './record-engine.ts'
import { parkTestRun } from './test-runs.ts'

/** Pipelines over the one template of `onePack`, in the bundle `guard`. */
const GUARD = `apiVersion: svc/v1
pipelines:
  manual:
    title: By hand
    steps:
      - { id: hold, uses: incident/service-recovery, gate: manual, with: { url: x }, timeout: 1h }
  approval:
    title: With an approval for each
    inputs: { type: object, properties: { urls: { type: array, default: [x] } } }
    steps:
      - id: act
        uses: incident/service-recovery
        gate: approval
        for_each: { items: inputs.urls, parallel: 3 }
        with: { url: "\${{ item }}" }
        timeout: 1h
  later:
    title: Later
    steps:
      - { id: night, schedule: "0 2 1 1 *" }
      - { id: act, uses: incident/service-recovery, needs: [night], with: { at: "\${{ steps.night.outputs.fired_at }}" }, timeout: 1h }
  heard:
    title: When something is said
    steps:
      - { id: said, on: "pack.incident.>", timeout: 1h }
  race:
    title: A time, two runs, and a time after one of them
    steps:
      - { id: soon, schedule: 5s }
      - { id: a, uses: incident/service-recovery, with: { url: x }, timeout: 1h }
      - { id: b, uses: incident/service-recovery, with: { url: x }, timeout: 1h }
      - { id: late, schedule: 10s, needs: [b] }
  once:
    title: With an approval
    steps: [{ id: act, uses: incident/service-recovery, gate: approval, with: { url: x }, timeout: 1h }]
`
const BROKEN = `apiVersion: svc/v1
pipelines:
  broken:
    title: Broken
    steps:
      - { id: act, uses: incident/service-recovry, timeout: 1h }
`

/** The bundles `guard` and `broken`, in files below `home`. */
export function guardBundles(home: string): PipelineSource {
  const directory = join(home, 'bundles')
  for (const [name, text] of Object.entries({ guard: GUARD, broken: BROKEN })) {
    mkdirSync(join(directory, name), { recursive: true })
    writeFileSync(join(directory, name, 'pipeline.yaml'), text)
  }
  const roots = pipelineRoots({ pipelinesDir: directory, packDirs: [] })
  return createPipelineSource({ roots: () => roots, templates: () => templatesByName(onePack().list()) })
}

type Headers = Record<string, string>

/** Starts a pipeline of the bundle `guard`; nothing of it happens before its first turn. */
export async function startPipeline(
  api: TestApi,
  name: string,
  headers: Headers = {},
  more: object = {},
): Promise<string> {
  const answer = await api.post('/pipelines/run', { bundle_path: 'guard', pipeline_name: name, ...more }, headers)
  const { pipeline_id } = (await answer.json()) as { pipeline_id?: string }
  if (pipeline_id === undefined) throw new Error(`${name} was not started: ${answer.status}`)
  return pipeline_id
}

/** What its workflow does when something has happened. */
export async function takeTurn(api: TestApi, id: string): Promise<void> {
  await advancePipeline(turnDeps(api), { ...(await claimOf(api, id)), cancelled: false })
}

/** The same beside its workflow; answers whether that has to be told. `meanwhile`: what happens before it first writes. */
export async function takeTurnBeside(api: TestApi, id: string, meanwhile?: () => Promise<void>): Promise<boolean> {
  const deps = turnDeps(api)
  let happens = meanwhile
  const record: AdvanceDeps['pipelines']['record'] = async (patch) => {
    const first = happens
    happens = undefined
    await first?.()
    return await deps.pipelines.record(patch)
  }
  return await advanceBeside({ ...deps, pipelines: { ...deps.pipelines, record } }, await claimOf(api, id))
}

async function claimOf(api: TestApi, pipeline_id: string): Promise<PipelineClaim> {
  const [row] = await api.db<{ workspace_id: string }[]>`select workspace_id from pipelines where id = ${pipeline_id}`
  return { pipeline_id, workspace_id: row?.workspace_id ?? '' }
}

function turnDeps({ db, deps }: TestApi): AdvanceDeps {
  const { services, reads, workspaces } = deps
  const store = reads.pipelines.store
  const bus = createBusReads(db)
  return { services, pipelines: store, bus, workspaces, claims: createRecordDeps(db), onWait: () => undefined }
}

/** A pipeline whose step `act` waits at gates, one for each entry of a list where there is one; with the runs that do. */
export async function parkPipeline(
  api: TestApi,
  headers: Headers = {},
  { urls, ...gate }: Partial<GateOpening> & { urls?: string[] } = {},
): Promise<{ id: string; runs: string[]; gates: string[] }> {
  const id = await (urls === undefined
    ? startPipeline(api, 'once', headers)
    : startPipeline(api, 'approval', headers, { inputs: { urls } }))
  await takeTurn(api, id)
  const rows = await api.db<{ run_id: string }[]>`
    select run_id from pipeline_children where pipeline_id = ${id} order by index`
  const runs = rows.map(({ run_id }) => run_id)
  const gates: string[] = []
  for (const run of runs) gates.push(await parkTestRun(api, run, gate))
  await takeTurn(api, id)
  return { id, runs, gates }
}

/** One whose step `hold` waits to be advanced. */
export async function readyPipeline(api: TestApi, headers: Headers = {}): Promise<string> {
  const id = await startPipeline(api, 'manual', headers)
  await takeTurn(api, id)
  return id
}

/** One that was cancelled before anything began. */
export async function endedPipeline(api: TestApi, headers: Headers = {}): Promise<string> {
  const id = await startPipeline(api, 'manual', headers)
  const answer = await api.post(`/pipelines/${id}/cancel`, {}, headers)
  if (answer.status !== 202) throw new Error(`the pipeline was not cancelled: ${answer.status}`)
  await takeTurn(api, id)
  return id
}
