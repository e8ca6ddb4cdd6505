import { join } from 'node:path'
import { expect } from 'vitest'
import { runCli } from './cli.ts'
import { type Lab, type LabOptions, startLab } from './lab.ts'
import { programOf } from './programs/needs.ts'
import type { RunBody } from './recovery.ts'
import { type Relay, startRelay } from './relay.ts'
import type { TestService } from './service.ts'
import { verifyOutside } from './verify-outside.ts'

/** One alert that Alertmanager posted, and what the service made of it. */
export interface Outcome {
  outcome: string
  status: 'firing' | 'resolved'
  run_id?: string
  attached_count?: number
}

export interface WatchedLab extends Lab {
  relay: Relay
  /** in the order of the answers */
  outcomes(): Outcome[]
}

/** A lab whose Alertmanager posts to a service through a relay that keeps every answer. */
export async function startWatchedLab(
  service: TestService,
  options: Omit<LabOptions, 'svc_url' | 'programs'> = {},
): Promise<WatchedLab> {
  const relay = await startRelay(service.url)
  const programs = { prometheus: programOf('prometheus'), alertmanager: programOf('alertmanager') }
  const lab = await startLab({ ...options, programs, svc_url: relay.url })
  return {
    ...lab,
    relay,
    outcomes: () => relay.seen.flatMap(({ body, answer }) => outcomesOf(body, answer)),
    async stop() {
      await lab.stop()
      await relay.stop()
    },
  }
}

function outcomesOf(body: string, answer: string): Outcome[] {
  const { alerts } = JSON.parse(body) as { alerts: { status: Outcome['status'] }[] }
  const { results = [] } = JSON.parse(answer) as { results?: Omit<Outcome, 'status'>[] }
  return results.map((result, index) => ({ ...result, status: alerts[index]?.status ?? 'firing' }))
}

/** Asserts what holds of everything that was posted: each answered with 202, and the counts of a run exact. */
export function expectExactFold(lab: WatchedLab, { id, attached_count }: RunBody): void {
  expect(new Set(lab.relay.seen.map(({ status }) => status))).toEqual(new Set([202]))
  const count = (wanted: string) =>
    lab.outcomes().filter(({ run_id, outcome }) => run_id === id && outcome === wanted).length
  expect({ started: count('started'), attached: count('attached') }).toEqual({ started: 1, attached: attached_count })
}

/** Asserts that a run stands in the record and that the whole chain holds, by two programs that share no code. */
export async function expectSoundRecord(service: TestService, runId: string): Promise<void> {
  const file = join(service.home, 'audit.jsonl')
  const { code, stdout } = await runCli(['lineage', runId, '--file', file], { env: {} })
  expect(stdout).toMatch(/chain ok: \d+ records/)
  expect(code).toBe(0)
  expect((await verifyOutside(file)).status).toBe(0)
}
