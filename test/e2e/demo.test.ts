import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { startTestService, type TestService } from '#test/support/service.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
let service: TestService

beforeAll(async () => {
  service = await startTestService({
    postgres_url: inject('postgres_url'),
    temporal_address: inject('temporal_address'),
  })
})
afterAll(() => service.stop())

async function takeTour(...flags: string[]): Promise<string> {
  const env = { ...process.env, SVC_URL: service.url, SVC_HOME: service.home, NO_COLOR: '1' }
  return await new Promise<string>((resolve, reject) => {
    execFile('npm', ['run', '--silent', 'demo', ...flags], { cwd: ROOT, env }, (error, stdout, stderr) => {
      if (error) reject(new Error(`${error.message}\n${stdout}\n${stderr}`))
      else resolve(stdout)
    })
  })
}

test('the guided tour goes from a broken service to a verified record', async () => {
  const output = await takeTour('--yes')
  for (const line of ['→ 503', 'started', 'attached', 'gate.opened', 'To be approved', 'run succeeded', '→ 200']) {
    expect(output).toContain(line)
  }
  expect(output).toMatch(/chain ok: \d+ records verified/)
})

test('with a model the run pays for a call, one that does not fit is refused, and the audit log says so', async () => {
  const output = await takeTour('--', '--yes', '--model')
  expect(output).toMatch(/demo-echo-\d+ \(scripted\): In a sentence/)
  expect(output).toMatch(/the run has paid \$0\.\d+ for it, of a cap of \$1/)
  expect(output).toContain('402 budget_exceeded')
  expect(output).toMatch(/model\.called: demo-echo-\d+ succeeded, \$0\.\d+ of \$0\.\d+ reserved, request sha256:/)
  expect(output).toContain('run succeeded')
  // the model was bound for the length of the tour alone
  expect(existsSync(join(service.home, 'models.yaml'))).toBe(false)
})
