import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ConfigError, loadConfig } from '#platform/config.ts'
import { describeConfig } from '#platform/describe-config.ts'
import { childEnvironment } from '#platform/embedded/children.ts'

const KEY = 'k'.repeat(32)
let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'secret-settings-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

function file(name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

function problemsOf(env: Record<string, string>) {
  try {
    loadConfig(env)
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
}

it('reads every secret setting from the file that its _FILE names, without the line end', () => {
  const config = loadConfig({
    OBS_JWT_SECRET_FILE: file('jwt', `${KEY}\n`),
    SVC_SECRET_KEY_FILE: file('key', `${KEY}2`),
    DATABASE_URL_FILE: file('url', 'postgres://a:b@db/svc\r\n'),
    TEMPORAL_API_KEY_FILE: file('api', 'abc\n'),
    SVC_APP_PASSWORD_FILE: file('app', ' two words \n'),
    SVC_ADMIN_EMAIL: 'a@b.test',
    SVC_ADMIN_PASSWORD_FILE: file('admin', 'long enough to be one\n'),
  })
  expect(config.auth.jwtSecret).toBe(KEY)
  expect(config.secretKey).toBe(`${KEY}2`)
  expect(config.databaseUrl).toBe('postgres://a:b@db/svc')
  expect(config.temporal.apiKey).toBe('abc')
  expect(config.appPassword).toBe(' two words ')
  expect(config.auth.admin).toEqual({ email: 'a@b.test', password: 'long enough to be one' })
  expect(JSON.stringify(describeConfig(config))).not.toContain(KEY)
})

it('refuses a secret that is given twice, and says which two', () => {
  const env = { OBS_JWT_SECRET: KEY, OBS_JWT_SECRET_FILE: file('twice', KEY) }
  expect(problemsOf(env)).toEqual([
    {
      name: 'OBS_JWT_SECRET_FILE',
      got: JSON.stringify(join(folder, 'twice')),
      takes: 'nothing while OBS_JWT_SECRET is set: one of the two',
    },
  ])
})

it('names a file that is missing or empty, and never falls back to an open service', () => {
  const [missing] = problemsOf({ OBS_JWT_SECRET_FILE: join(folder, 'absent') })
  expect(missing).toMatchObject({ name: 'OBS_JWT_SECRET_FILE', takes: expect.stringContaining('ENOENT') })
  expect(problemsOf({ OBS_JWT_SECRET_FILE: file('empty', '\n') })[0]?.takes).toContain('empty')
  expect(problemsOf({ SVC_SECRET_KEY_FILE: file('big', 'x'.repeat(70_000)) })[0]?.takes).toContain('at most')
})

it('checks what stands in a file as it checks a variable, and does not show it', () => {
  expect(problemsOf({ OBS_JWT_SECRET_FILE: file('short', 'short\n') })).toEqual([
    { name: 'OBS_JWT_SECRET', got: 'a hidden value', takes: 'at least 32 bytes' },
  ])
})

it('takes no setting from a file that is not a secret', () => {
  expect(loadConfig({ SVC_PORT_FILE: file('port', '1') }).port).toBe(9090)
})

it('starts a child that inherits the names of the files and is told the secrets', () => {
  const inherited = { OBS_JWT_SECRET_FILE: file('inherited', KEY) }
  const real = { databaseUrl: 'postgres://a@db/x', temporalAddress: 'h:1', temporalUiUrl: undefined, secretKey: KEY }
  const child = loadConfig({ ...inherited, ...childEnvironment(loadConfig(inherited), real) })
  expect(child.auth.jwtSecret).toBe(KEY)
})
