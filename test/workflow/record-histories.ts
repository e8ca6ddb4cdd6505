// Records one history per scenario: node --import tsx test/workflow/record-histories.ts
import { rm, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import type { WorkflowHandle } from '@temporalio/client'
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js'
import { startTestStack } from '#test/support/embedded.ts'
import { startScriptedRuns } from '#test/support/scripted-runs.ts'
import { END_SCENARIOS } from './end-scenarios.ts'
import { FIRING_SCENARIOS } from './firing-scenarios.ts'
import { GATE_NOTICE_SCENARIOS } from './gate-notice-scenarios.ts'
import { CONNECTION_SCENARIOS, DIGEST_SCENARIOS, HALT_SCENARIOS } from './halt-scenarios.ts'
import { PIPELINE_SCENARIOS } from './pipeline-scenarios.ts'
import { REMOTE_JOB_SCENARIOS } from './remote-job-scenarios.ts'
import { SCENARIOS } from './scenarios.ts'

const only = process.argv.slice(2)
const stack = await startTestStack()
const runs = await startScriptedRuns(stack.temporal_address)
try {
  for (const { name, executions, short, near = false, play, ends } of SCENARIOS) {
    if (only.length > 0 && !only.includes(name)) continue
    const run = await (short ? runs.startShort(name, executions) : runs.start(name, executions, { near }))
    await play?.(run)
    const { status } = await run.result()
    if (status !== ends) throw new Error(`${name} ended as ${status}, not as ${ends}`)
    const { handle } = 'first' in run ? { handle: run.first as WorkflowHandle } : run
    await record(name, handle)
  }
  for (const { name, script, play, delivered } of GATE_NOTICE_SCENARIOS) {
    if (only.length > 0 && !only.includes(name)) continue
    const notices = await runs.startGateNotices(name, script)
    await play?.(notices, runs.notices)
    const result = await notices.result()
    if (JSON.stringify(result.delivered) !== JSON.stringify(delivered))
      throw new Error(`${name} told ${JSON.stringify(result.delivered)}`)
    await record(name, notices.handle)
  }
  for (const { name, script, delivered } of END_SCENARIOS) {
    if (only.length > 0 && !only.includes(name)) continue
    const end = await runs.startEnd(name, script)
    const result = await end.result()
    if (result.delivered !== delivered) throw new Error(`${name} told ${result.delivered}`)
    await record(name, end.handle)
  }
  for (const { name, script, delivered } of HALT_SCENARIOS) {
    if (only.length > 0 && !only.includes(name)) continue
    const halt = await runs.startHalt(name, script)
    const result = await halt.result()
    if (result.delivered !== delivered) throw new Error(`${name} told ${result.delivered}`)
    await record(name, halt.handle)
  }
  for (const { name, script, delivered } of DIGEST_SCENARIOS) {
    if (only.length > 0 && !only.includes(name)) continue
    const digest = await runs.startDigest(name, script)
    const result = await digest.result()
    if (result.delivered !== delivered) throw new Error(`${name} told ${result.delivered}`)
    await record(name, digest.handle)
  }
  for (const { name, script, delivered } of CONNECTION_SCENARIOS) {
    if (only.length > 0 && !only.includes(name)) continue
    const connection = await runs.startConnection(name, script)
    const result = await connection.result()
    if (result.delivered !== delivered) throw new Error(`${name} told ${result.delivered}`)
    await record(name, connection.handle)
  }
  for (const { name, attempts, ends } of FIRING_SCENARIOS) {
    if (only.length > 0 && !only.includes(name)) continue
    const firing = await runs.startFiring(name, attempts)
    const result = await firing.result().catch(() => 'failed')
    if (!isDeepStrictEqual(result, ends)) throw new Error(`${name} ended as ${JSON.stringify(result)}`)
    await record(name, firing.handle)
  }
  for (const { name, script, ends } of REMOTE_JOB_SCENARIOS) {
    if (only.length > 0 && !only.includes(name)) continue
    const job = await runs.startRemoteJob(name, script)
    const result = await job.result()
    if (!isDeepStrictEqual(result, ends)) throw new Error(`${name} ended as ${JSON.stringify(result)}`)
    await record(name, job.handle)
  }
  for (const { name, looks, short, play, ends } of PIPELINE_SCENARIOS) {
    if (only.length > 0 && !only.includes(name)) continue
    const pipeline = await runs.startPipeline(name, looks, short)
    await play?.(pipeline, runs.pipelines)
    const { status } = await pipeline.result()
    if (status !== ends) throw new Error(`${name} ended as ${status}, not as ${ends}`)
    await record(name, pipeline.first)
  }
} finally {
  await runs.stop()
  await stack.stop()
}

async function record(name: string, handle: WorkflowHandle): Promise<void> {
  const file = new URL(`./histories/${name}.generated.json`, import.meta.url)
  await rm(file, { force: true })
  await writeFile(file, anonymous(historyToJSON(await handle.fetchHistory())))
  process.stdout.write(`${name}\n`)
}

/** One event a line, and nothing about the machine that recorded it. */
function anonymous(json: string): string {
  const history: { events: unknown[] } = JSON.parse(json)
  const root = fileURLToPath(new URL('../..', import.meta.url))
  const lines = history.events.map((event) =>
    JSON.stringify(event, (key, value) => (key === 'stackTrace' ? '' : value))
      .replaceAll(`${process.pid}@${hostname()}`, 'recorder')
      .replaceAll(root, ''),
  )
  return `{"events":[\n${lines.join(',\n')}\n]}\n`
}
