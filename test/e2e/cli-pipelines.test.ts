import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { openCli, openTerminal, runCli } from '#test/support/cli.ts'
import { PATIENCE } from '#test/support/patience.ts'
import { type PipelineService, startPipelineService } from '#test/support/pipeline-service.ts'

const PIPELINES = `
line:
  title: One after the other
  inputs: { type: object, required: [text], properties: { text: { type: string } } }
  steps:
    - { id: first, uses: desk/note, with: { text: "\${{ inputs.text }}" }, timeout: 1m }
    - { id: hold, uses: desk/note, needs: [first], gate: manual, with: { text: "\${{ steps.first.outputs.text }}" }, timeout: 1h }
  outputs: { text: "\${{ steps.hold.outputs.text }}" }
gated:
  title: With approvals
  inputs: { type: object, required: [url, names], properties: { url: { type: string }, names: { type: array } } }
  steps:
    - { id: act, uses: desk/act, gate: approval, for_each: { items: inputs.names, parallel: 5 }, with: { url: "\${{ inputs.url }}", text: "\${{ item }}" }, timeout: 1h }
waits:
  title: Waits
  steps:
    - { id: night, schedule: 2h }
keyed:
  title: With a template that takes a secret
  steps:
    - { id: hold, uses: desk/keyed, gate: manual, timeout: 1h }
fails:
  title: Fails
  steps:
    - { id: stop, uses: desk/fail, timeout: 1m }
`

const KEYED = `apiVersion: svc/v1
id: keyed
title: Takes a secret where one is given
risk: low
inputs: { type: object, properties: { token: { type: string, writeOnly: true }, text: { type: string, default: x } } }
steps:
  - { id: report, operator: report.render, with: { title: Noted, body: "{{ inputs.text }}" } }
`

let world: PipelineService
let target: Server
let url: string
let env: Record<string, string>

beforeAll(async () => {
  target = createServer((_request, response) => void response.end('{}'))
  await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(target.address() as AddressInfo).port}`
  world = await startPipelineService({
    postgres_url: inject('postgres_url'),
    temporal_address: inject('temporal_address'),
    pipelines: PIPELINES,
    files: { 'packs/desk/templates/keyed.yaml': KEYED },
  })
  env = { SVC_URL: world.url, SVC_HOME: world.home, HOME: world.home }
})
afterAll(async () => {
  await world?.stop()
  target?.close()
})

const svc = (...args: string[]) => runCli(['pipeline', ...args], { env })

async function start(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await svc('run', 'desk', ...args)
  expect([code, stderr]).toEqual([0, ''])
  return stdout.trim()
}

describe('svc pipeline', () => {
  test('starts one, lists it, shows it by its first characters, lets it go on, and says how it ended', async () => {
    const id = await start('line', '-i', 'text=good', '--reason', 'a try')
    await world.step(id, 'hold', 'ready')
    const listed = await svc('list', '--status', 'blocked', '--name', 'line')
    expect(listed.stdout).toMatch(new RegExp(`${id} +blocked +line +hold ready +a try`))
    const shown = await svc('show', id.slice(3, 27))
    expect(shown.stdout).toContain(`let it begin with: svc pipeline advance ${id} hold`)
    expect(shown.stdout).toMatch(/✓ first {2}succeeded {2}desk\/note/)
    const approved = await svc('approve', id, 'hold')
    expect([approved.code, approved.stderr]).toEqual([75, expect.stringContaining('which is not an approval')])

    const watching = openCli(['pipeline', 'watch', id], { env })
    await watching.shows('step.ready')
    const advanced = await svc('advance', id, 'hold', '--note', 'go', '-i', 'text=other')
    expect([advanced.code, advanced.stdout]).toEqual([0, expect.stringContaining(id)])
    await watching.shows(`pipeline ${id} succeeded`)
    expect(await watching.ended()).toBe(0)
    const again = await svc('advance', id, 'hold', '--json')
    expect([again.code, JSON.parse(again.stderr)]).toEqual([75, expect.objectContaining({ code: 'conflict' })])

    const config = await svc('show', id, '--config')
    expect(config.stdout).toMatch(/text = other {2}advance/)
    const { config: composed, outputs } = JSON.parse((await svc('show', id, '--config', '--json')).stdout)
    expect([composed.pipeline_id, outputs]).toEqual([id, { text: 'other' }])
  })

  test('shows the tree at a terminal until it ends, and the timer counts down', async () => {
    const id = await start('waits')
    await world.step(id, 'night', 'waiting_timer')
    const screen = openTerminal(['pipeline', 'watch', id], { env })
    await screen.shows('fires in 1 h 59 min')
    const cancelled = await svc('cancel', id, '--reason', 'enough')
    // nothing is at work, so that it may have ended when it is read
    expect([cancelled.code, cancelled.stdout]).toEqual([0, expect.stringMatching(/\(cancelling\)|cancelled/)])
    await screen.shows('cancelled')
    expect(await screen.ended()).toBe(3)
    expect((await svc('cancel', id)).code).toBe(75)
  })

  test('follows what it starts: 1 where it fails, with its events as JSON', async () => {
    const { code, stdout } = await svc('run', 'desk', 'fails', '--watch', '--json')
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string; data: { status?: string } })
    expect(code).toBe(1)
    expect(lines[0]?.type).toBe('pipeline.queued')
    expect(lines.at(-2)?.type).toBe('pipeline.failed')
    expect(lines.at(-1)).toMatchObject({ type: 'pipeline', data: { status: 'failed', error: { step: 'stop' } } })
  })

  test('answers gates by their names: two that wait, the last of a list, and a rejection', async () => {
    const inputs = ['-i', `url=${url}`, '-i', 'names=["a","b"]']
    const id = await start('gated', ...inputs)
    const { steps } = await world.step(id, 'act', 'awaiting_approval')
    await world.until<{ steps: { runs: { gate_id?: string }[] }[] }>(`/pipelines/${id}`, (pipeline) =>
      (pipeline.steps[0]?.runs ?? []).every(({ gate_id }) => gate_id !== undefined),
    )
    expect(steps[0]?.runs).toHaveLength(2)
    const unnamed = await svc('approve', id, 'act')
    const gates = [...unnamed.stderr.matchAll(/--gate (gate_\w+)/g)].map(([, gate]) => gate ?? '')
    expect([unnamed.code, gates.length]).toEqual([75, 2])
    const wrong = await svc('approve', id, 'act', '--gate', gates[0] ?? '', '--plan-hash', `sha256:${'0'.repeat(64)}`)
    expect(wrong.code).toBe(4)
    const first = await svc('approve', id, 'act', '--gate', gates[0] ?? '', '--note', 'fine')
    expect(first.stdout).toContain(`To be approved: POST ${url}`)
    expect(first.stdout).toContain('approved (1 of 1 approvals)')
    // the same command once more must not meet the next entry: it shows that one, and how it is named
    const repeated = await svc('approve', id, 'act', '--note', 'fine')
    expect(repeated.code).toBe(75)
    expect(repeated.stdout).toContain(`To be approved: POST ${url}`)
    expect(repeated.stderr).toContain(`svc pipeline approve ${id} act --gate ${gates[1]}`)
    const rejecting = await svc('approve', id, 'act', '--reject', '--note', 'no')
    expect(rejecting.stderr).toContain(
      `to reject the gate that is shown: svc pipeline approve ${id} act --gate ${gates[1]} --reject`,
    )
    expect((await svc('show', id)).stdout).toContain(`svc pipeline approve ${id} act --gate ${gates[1]}`)
    const named = ['--gate', gates[1] ?? '', '--reject', '--note', 'no', '--json']
    const second = await svc('approve', id, 'act', ...named)
    expect(JSON.parse(second.stdout)).toMatchObject({ gate_id: gates[1], decision: 'reject', resolved: true })
    expect((await world.ends(id)).status).toBe('rejected')
    expect((await svc('show', id)).stdout).toContain('act: run_rejected: usr_local rejected it: no')
    expect((await svc('watch', id)).code).toBe(2)
    expect((await svc('approve', id, 'act', '--gate', gates[1] ?? '')).code).toBe(3)
    const runs = await runCli(['runs', '--pipeline', id, '--json'], { env })
    expect(runs.stdout.trim().split('\n')).toHaveLength(2)
  })

  test('refuses in words that help, and as JSON', async () => {
    const unknown = await svc('run', 'dsk')
    expect([unknown.code, unknown.stderr]).toEqual([64, expect.stringContaining('did you mean desk?')])
    const inputs = await svc('run', 'desk', 'line', '-i', 'txt=x', '--json')
    expect([inputs.code, JSON.parse(inputs.stderr)]).toEqual([
      64,
      expect.objectContaining({ code: 'validation_failed' }),
    ])
    const nobody = await svc('show', 'pl_00000000000000000000000000')
    expect(nobody.code).toBe(66)
    expect((await svc('show', 'pl_0000')).code).toBe(66)
    expect((await svc('bundles', 'desk')).stdout).toContain('start it with: svc pipeline run desk line -i text=…')
    expect((await svc('show', 'run_1')).code).toBe(64)
    const step = await svc('advance', await start('waits'), 'nigth')
    expect([step.code, step.stderr]).toEqual([66, expect.stringContaining('did you mean night?')])
  })
})

test('a step is advanced with no secret, and none is kept of one that was tried', async () => {
  const id = await start('keyed')
  await world.step(id, 'hold', 'ready')
  const refused = await svc('advance', id, 'hold', '-i', 'token=hunter-two')
  expect([refused.code, refused.stderr]).toEqual([64, expect.stringContaining('/inputs/token: is secret')])
  const { body: events } = await world.call('GET', `/pipelines/${id}/events`)
  const shown = [await world.stands(id), events, (await svc('show', id, '--config', '--json')).stdout]
  expect(JSON.stringify(shown)).not.toContain('hunter-two')
  expect((await svc('show', id, '--config')).stdout).not.toContain('token')
  expect((await world.step(id, 'hold', 'ready')).status).toBe('blocked')
})

test('svc lineage tells a pipeline with all of its runs from the real chain, and nothing of one that is broken', async () => {
  const id = await start('gated', '-i', `url=${url}`, '-i', 'names=["only"]')
  const { steps } = await world.step(id, 'act', 'awaiting_approval')
  expect((await svc('approve', id, 'act', '--gate', steps[0]?.gate_id ?? '')).code).toBe(0)
  const [step] = (await world.ends(id)).steps
  const file = join(world.home, 'audit.jsonl')
  const lineage = (path: string, ...args: string[]) => runCli(['lineage', id, '--file', path, ...args], { env })
  await expect
    .poll(() => readFileSync(file, 'utf8'), PATIENCE)
    .toMatch(new RegExp(`pipeline.ended.*${id}|${id}.*pipeline.ended`))

  const { code, stdout } = await lineage(file)
  expect(code).toBe(0)
  expect(stdout).toContain(`pipeline  ${id}: gated of desk`)
  expect(stdout).toContain(`  run      ${step?.run_id}: desk/act`)
  expect(stdout).toMatch(/ran {6}post \(http\.request@1, attempt 1: succeeded\).*as approved in gate_/)
  expect(stdout).toContain('approved  what was approved is what ran, in every run')
  expect(stdout).toMatch(/chain ok: \d+ records/)
  const json = (await lineage(file, '--json')).stdout.trim().split('\n')
  expect(JSON.parse(json.at(-1) ?? '')).toMatchObject({
    ok: true,
    matches: json.length - 1,
    pipeline: {
      pipeline_id: id,
      as_approved: true,
      runs: [{ step: 'act', role: 'run', story: { run_id: step?.run_id } }],
    },
  })

  const broken = join(world.home, 'broken.jsonl')
  writeFileSync(broken, readFileSync(file, 'utf8').replace(`"${step?.run_id}"`, '"run_00000000000000000000000000"'))
  const records = await lineage(broken)
  expect([records.code, records.stdout]).toEqual([1, expect.stringContaining('chain BROKEN')])
  expect(records.stdout).not.toContain('what was approved is what ran')
})
