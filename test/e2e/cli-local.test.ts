import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type DemoService, startDemoService } from '#cli/demo/demo-server.ts'
import { isPortFree } from '#platform/embedded/free-port.ts'
import { KEY, openTerminal, runCli } from '#test/support/cli.ts'
import { createTestHome } from '#test/support/embedded.ts'
import { freePort } from '#test/support/free-ports.ts'

const OWNER = ['admin', 'bootstrap', '--email', 'owner@example.test', '--password-stdin']
const PASSWORD = 'correct horse battery'

let demo: DemoService
let local: { home: string; remove(): Promise<void> }
let port: number
let env: Record<string, string>

beforeAll(async () => {
  demo = await startDemoService()
  local = await createTestHome()
  port = await freePort()
  const found = ['SVC_TEMPORAL_CLI', 'XDG_CACHE_HOME'].flatMap((name) => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value]]
  })
  env = {
    ...Object.fromEntries(found),
    SVC_HOME: local.home,
    SVC_PORT: String(port),
    SVC_TEMPORAL_PORT: '27633',
    SVC_TEMPORAL_UI_PORT: '28633',
    XDG_CONFIG_HOME: join(local.home, 'config'),
  }
})
afterAll(async () => {
  await demo.stop()
  await local.remove()
})

test('run -I brings its own service, asks at the gate, and takes the service down again', async () => {
  const absent = await runCli(OWNER, { env, input: PASSWORD })
  expect(absent).toMatchObject({ code: 69, stderr: expect.stringContaining('npm start') })

  await fetch(`${demo.url}/fault`, { method: 'POST' })
  const screen = openTerminal(['run', 'sre/service-recovery', '-I', '-i', `url=${demo.url}`], { env })
  await screen.shows('starting the service')
  await screen.shows('Your decision')
  const owner = await runCli(OWNER, { env, input: PASSWORD })
  expect(owner).toMatchObject({ code: 0, stderr: expect.stringContaining('OBS_JWT_SECRET') })
  screen.type(KEY.interrupt)
  await screen.shows('it waits on')
  expect(await screen.ended()).toBe(75)

  expect(await isPortFree(port)).toBe(true)
  expect((await stat(join(local.home, 'secret.key'))).mode & 0o777).toBe(0o600)
  expect((await runCli(OWNER, { env, input: PASSWORD })).code).toBe(69)
  expect(demo.state().actions).toEqual([])

  const approved = await runCli(['run', 'sre/service-recovery', '-I', '--yes', '-i', `url=${demo.url}`], { env })
  expect(approved).toMatchObject({ code: 0, stdout: expect.stringContaining('succeeded') })
  expect(demo.state().actions).toHaveLength(1)
  expect(await isPortFree(port)).toBe(true)
})
