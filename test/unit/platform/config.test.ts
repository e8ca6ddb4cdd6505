import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ConfigError, loadConfig } from '#platform/config.ts'
import { environmentSchema } from '#platform/config-schema.ts'
import { describeConfig } from '#platform/describe-config.ts'
import { unknownSettingText } from '#platform/unknown-settings.ts'

function problemsOf(env: Record<string, string>) {
  try {
    loadConfig(env)
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
}

const row = (env: Record<string, string>, name: string) =>
  describeConfig(loadConfig(env)).find((candidate) => candidate.name === name)

describe('loadConfig', () => {
  it('needs no variable at all', () => {
    const config = loadConfig({})
    expect(config).toMatchObject({
      host: '127.0.0.1',
      port: 9090,
      localUrl: 'http://127.0.0.1:9090',
      apiUrl: 'http://127.0.0.1:9090',
      databaseUrl: undefined,
      temporal: { address: undefined, namespace: 'default', port: 7233, ui: false, uiPort: 8233, synchronous: 1 },
      approvalTtlMs: 7 * 24 * 3_600_000,
      lanes: { realtime: 4, background: 2 },
      logLevel: 'info',
    })
    expect(config.home).toMatch(/\.svc$/)
    expect(config.policiesDir).toBe(`${config.home}/policies`)
    expect(config.packsDir).toBe(`${config.home}/packs`)
    expect(config.pipelinesDir).toBe(`${config.home}/pipelines`)
  })

  it('names every bad variable at once, what it got and what it takes', () => {
    const env = {
      SVC_PORT: 'abc',
      SVC_LANE_REALTIME: '0',
      SVC_HOST: '0.0.0.0',
      DATABASE_URL: 'mysql://u:hunter2@h/d',
      TEMPORAL_ADDRESS: 'nowhere',
      TEMPORAL_TLS_CERT: 'a.pem',
    }
    expect(problemsOf(env)).toEqual([
      { name: 'SVC_PORT', got: '"abc"', takes: 'an integer from 1 to 65535' },
      { name: 'DATABASE_URL', got: 'a hidden value', takes: 'postgres://user:password@host:port/database' },
      { name: 'TEMPORAL_ADDRESS', got: '"nowhere"', takes: 'host:port' },
      { name: 'SVC_LANE_REALTIME', got: '"0"', takes: 'an integer from 1 to 1000' },
      { name: 'SVC_HOST', got: '"0.0.0.0"', takes: expect.stringContaining('SVC_ALLOW_OPEN=1') },
      { name: 'TEMPORAL_TLS_KEY', got: 'unset', takes: expect.stringContaining('go together') },
    ])
  })

  it('takes an empty variable for an unset one', () => {
    expect(loadConfig({ SVC_PORT: '', DATABASE_URL: '', TEMPORAL_ADDRESS: '' })).toMatchObject({
      port: 9090,
      databaseUrl: undefined,
    })
  })

  it('takes fractions of an hour for the life of a gate', () => {
    expect(loadConfig({ SVC_APPROVAL_TTL_HOURS: '0.001' }).approvalTtlMs).toBe(3_600)
    for (const text of ['0', '-1', 'soon', '1e3', ''])
      expect(problemsOf({ SVC_APPROVAL_TTL_HOURS: text })).toHaveLength(text === '' ? 0 : 1)
  })

  it('refuses the Web UI of the embedded Temporal, which knows no sign-in, while authentication is on', () => {
    expect(loadConfig({ SVC_TEMPORAL_UI: '1' }).temporal.ui).toBe(true)
    const env = { SVC_TEMPORAL_UI: '1', OBS_JWT_SECRET: 'x'.repeat(32) }
    expect(problemsOf(env).map(({ name }) => name)).toEqual(['SVC_TEMPORAL_UI'])
    expect(loadConfig({ ...env, SVC_TEMPORAL_UI: '0' }).temporal.ui).toBe(false)
  })

  it('refuses an address that others reach unless it is opened on purpose', () => {
    for (const host of ['0.0.0.0', '::', '10.0.0.1', 'example.test', '::ffff:10.0.0.1']) {
      expect(problemsOf({ SVC_HOST: host }).map(({ name }) => name)).toEqual(['SVC_HOST'])
      expect(problemsOf({ SVC_HOST: host, SVC_ALLOW_OPEN: '0' })).toHaveLength(1)
      expect(loadConfig({ SVC_HOST: host, SVC_ALLOW_OPEN: '1' }).host).toBe(host)
    }
    for (const host of ['localhost', '127.0.0.1', '127.1.2.3', '::1'])
      expect(loadConfig({ SVC_HOST: host }).host).toBe(host)
    expect(loadConfig({ SVC_HOST: '::1' }).localUrl).toBe('http://[::1]:9090')
  })

  it('takes the password of the role as it is written', () => {
    expect(loadConfig({ SVC_APP_PASSWORD: ' two words ' }).appPassword).toBe(' two words ')
    expect(loadConfig({}).appPassword).toBeUndefined()
  })

  it('takes whole ports and refuses everything else', () => {
    fc.assert(
      fc.property(fc.integer({ min: -70_000, max: 140_000 }), (port) => {
        expect(problemsOf({ SVC_PORT: String(port) })).toHaveLength(port >= 1 && port <= 65_535 ? 0 : 1)
      }),
    )
  })

  it('never fails in another way than by naming the variable', () => {
    const names = Object.keys(environmentSchema.shape)
    fc.assert(
      fc.property(fc.constantFrom(...names), fc.string(), (name, value) => {
        for (const problem of problemsOf({ [name]: value })) expect(problem.takes).not.toBe('')
      }),
    )
  })
})

describe('variables that are nearly settings', () => {
  it('are told with the setting that was meant', () => {
    const { unknown } = loadConfig({ SVC_HOMME: '/srv', SVC_GITHUB_TOKEN: 'x', PATH: '/bin', SVC_PORT: '9191' })
    expect(unknown.map(unknownSettingText)).toEqual([
      'SVC_GITHUB_TOKEN is no setting; nothing but a reference such as env:SVC_GITHUB_TOKEN reads it',
      'SVC_HOMME is no setting; did you mean SVC_HOME?',
    ])
  })

  it('keep it from starting where what was meant protects', () => {
    const secret = 'a secret that is long enough for HS256'
    expect(problemsOf({ OBS_JWT_SECERT: secret })).toEqual([
      { name: 'OBS_JWT_SECERT', got: 'no setting', takes: 'another name: did you mean OBS_JWT_SECRET?' },
    ])
    expect(problemsOf({ SVC_POLICY_DIR: '/etc/svc' })).toHaveLength(1)
    expect(problemsOf({ OBS_JWT_SECERT: secret, OBS_JWT_SECRET: secret })).toEqual([])
  })
})

describe('describeConfig', () => {
  it('hides secrets and shows the source of each value', () => {
    const env = { TEMPORAL_API_KEY: 'hunter2', DATABASE_URL: 'postgres://me:hunter2@db:5432/svc', SVC_PORT: '9191' }
    expect(JSON.stringify(describeConfig(loadConfig(env)))).not.toContain('hunter2')
    expect(row(env, 'TEMPORAL_API_KEY')).toMatchObject({ value: '(hidden)', source: 'env' })
    expect(row(env, 'DATABASE_URL')?.value).toBe('postgres://me:hidden@db:5432/svc')
    expect(row({ SVC_APP_PASSWORD: 'hunter2' }, 'SVC_APP_PASSWORD')?.value).toBe('(hidden)')
    expect(row(env, 'SVC_PORT')).toMatchObject({ value: '9191', default: '9090', source: 'env' })
    expect(row(env, 'SVC_LANE_REALTIME')).toMatchObject({ value: '4', default: '4', source: 'default' })
    expect(row(env, 'SVC_PACKS_DIR')).toMatchObject({ value: null, default: null, source: 'default' })
  })

  it('explains every setting', () => {
    for (const { name, meaning, takes } of describeConfig(loadConfig({}))) {
      expect(meaning, name).toMatch(/^[A-Z].{9,}/)
      expect(takes, name).toMatch(/^.{4,}/)
    }
  })
})
