import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { StartPlan } from '#cli/ask/start-plan.ts'
import { type ModelServer, startModelServer } from '#cli/dev/model-server.ts'
import { calls } from '#test/support/ask-world.ts'
import { KEY, openTerminal, runCli } from '#test/support/cli.ts'
import { freePort } from '#test/support/free-ports.ts'
import { ended } from '#test/support/recovery.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

const SVC = join(import.meta.dirname, '../../cli/svc.mjs')
/** what a shell, a terminal or a parser might take for its own */
const ODD = `it's "so": $HOME \`id\` $(id)\n\\ \u202e \u00a0 ☃ #; '\\''`

let service: TestService
let upstream: ModelServer
let second: string
let env: Record<string, string>

beforeAll(async () => {
  // looks up the runs, then says that there are none
  upstream = await startModelServer({
    script: ({ messages }) =>
      messages.at(-1)?.role === 'tool' ? { say: 'Nothing waits.[^t1]' } : calls(['list_gates', {}]),
  })
  service = await startTestService({
    postgres_url: inject('postgres_url'),
    temporal_address: inject('temporal_address'),
    files: { 'models.yaml': modelsFile(upstream.url) },
    env: { SVC_PACKS_DIR: fileURLToPath(new URL('../packs/asked', import.meta.url)) },
  })
  const port = await freePort()
  await service.startApi({ SVC_PORT: String(port) })
  second = `http://127.0.0.1:${port}`
  env = { SVC_URL: service.url, SVC_HOME: service.home, HOME: service.home }
})
afterAll(async () => {
  await service?.stop()
  await upstream?.stop()
})

describe('a plan of a run', () => {
  test('is the same in every process, and runs out of a pipe, out of a file and as the command that it shows', async () => {
    const planned = ['ask', 'plan', 'asked/note', '-i', `text=${ODD}`, '-i', 'odd name={"a":1}', '--json']
    const { code, stdout } = await runCli(planned, { env })
    expect(code).toBe(0)
    expect((await runCli(planned, { env: { ...env, SVC_URL: second } })).stdout).toBe(stdout)
    const plan = StartPlan.parse(JSON.parse(stdout))
    const file = join(service.home, 'plan.json')
    await writeFile(file, JSON.stringify(plan, null, 2))
    const shell = `svc() { "${process.execPath}" "${SVC}" "$@"; }\n${plan.command} --json --detach`
    const started = [
      await runCli(['run', '--plan', '-', '--json', '--detach'], { env, input: stdout }),
      await runCli(['run', '--plan', file, '--json', '--detach'], { env: { ...env, SVC_URL: second } }),
      await execa('bash', ['--norc', '-c', shell], { env }),
    ]
    for (const { stdout: text } of started) {
      const run = JSON.parse(text)
      expect(run.inputs).toEqual({ text: ODD, list: [1, 'two'], 'odd name': { a: 1 } })
      expect(await ended(service, run.id)).toMatchObject({ status: 'succeeded', outputs: { text: ODD } })
    }
  })
})

describe('a session', () => {
  test('answers at a terminal, brings earlier lines back, and ends with the second Ctrl-C', async () => {
    const screen = openTerminal(['ask'], { env })
    await screen.shows('/help lists commands')
    await screen.shows('ask> ')
    screen.type(`what waits?${KEY.enter}`)
    await screen.shows('looked up list_gates')
    await screen.shows('Nothing waits.[1]')
    await screen.shows('ask> ')
    screen.type(KEY.up)
    await screen.shows('what waits?')
    screen.type(KEY.enter)
    await screen.shows('Nothing waits.[1]')
    await screen.shows('ask> ')
    screen.type(`/thread${KEY.enter}`)
    await screen.shows('> what waits?')
    await screen.shows('> what waits?')
    await screen.shows('ask> ')
    screen.type(KEY.interrupt)
    await screen.shows('once more')
    screen.type(KEY.interrupt)
    await screen.shows('continue with: svc ask --thread thr_')
    expect(await screen.ended()).toBe(0)
  })

  test('of a pipe is plain lines, a question each', async () => {
    const { code, stdout, stderr } = await runCli(['ask', '--json'], { env, input: 'what waits?\n\nand now?\n/quit\n' })
    const answers = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect([code, stderr, answers.map(({ answer }) => answer)]).toEqual([
      0,
      '',
      ['Nothing waits.[^t1]', 'Nothing waits.[^t1]'],
    ])
    expect(answers[0].thread_id).toBe(answers[1].thread_id)
  })
})

function modelsFile(base_url: string): string {
  return `models:
  - id: script
    provider: openai_compatible
    base_url: ${base_url}
    prices: { input: 50000, output: 400000 }
    limits: { context: 200000, output: 2000 }
roles:
  default: script
`
}
