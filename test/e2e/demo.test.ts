import { execFile } from 'node:child_process'
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

test('the guided tour goes from a broken service to a verified record', async () => {
  const env = { ...process.env, SVC_URL: service.url, SVC_HOME: service.home, NO_COLOR: '1' }
  const output = await new Promise<string>((resolve, reject) => {
    execFile('npm', ['run', '--silent', 'demo', '--yes'], { cwd: ROOT, env }, (error, stdout, stderr) => {
      if (error) reject(new Error(`${error.message}\n${stdout}\n${stderr}`))
      else resolve(stdout)
    })
  })
  for (const line of ['→ 503', 'started', 'attached', 'gate.opened', 'To be approved', 'run succeeded', '→ 200']) {
    expect(output).toContain(line)
  }
  expect(output).toMatch(/chain ok: \d+ records verified/)
})
