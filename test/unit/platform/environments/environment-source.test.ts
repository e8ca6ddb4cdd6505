import { mkdirSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { isGranted } from '#core/environment/environment.ts'
import { faultText } from '#core/file-fault.ts'
import { createEnvironmentSource, type EnvironmentSource } from '#platform/environments/environment-source.ts'
import { PATIENCE } from '#test/support/patience.ts'
import { temporaryFolder } from '../packs/pack-folder.ts'

/** A busy machine may take a while; a quick one does not wait. */

const log = { info: () => undefined, warn: () => undefined }
let home: ReturnType<typeof temporaryFolder>
let source: EnvironmentSource | undefined

beforeEach(() => {
  home = temporaryFolder()
})
afterEach(() => {
  source?.close()
  home.remove()
})

function open(
  files: Record<string, string> = {},
  env: Record<string, string> = {},
  poll_ms = 60_000,
): EnvironmentSource {
  home.write(files)
  source = createEnvironmentSource({ home: home.root, log, env, follow: { poll_ms } })
  return source
}

const problems = (from: EnvironmentSource) => from.errors().map(faultText)

describe('createEnvironmentSource', () => {
  it('starts with one environment per class, and only development reaches loopback', () => {
    const environments = open()
    expect(environments.list().map((each) => [each.name, each.class, each.egress])).toEqual([
      ['production', 'production', []],
      ['staging', 'staging', []],
      ['development', 'development', ['loopback']],
      ['sandbox', 'sandbox', []],
    ])
    expect(environments.get('production')).toEqual({
      name: 'production',
      class: 'production',
      policies: [],
      cost_gate: {},
      approval: { prevent_self: false, min_approvals: 1, escalate_to: [], channels: [], links: true },
      egress: [],
      connections: {},
      freeze: [],
    })
    expect(environments.get('nope')).toBeUndefined()
    expect(environments.profile('default')).toEqual({ name: 'default', requires_approval: [] })
  })

  it('grants what names no workspace to the default one, and to all of them while nobody’s identity is checked', () => {
    home.write({
      'environments/pay.yaml': 'name: pay\nworkspaces: [payments]\n',
      'environments/none.yaml': 'name: none\nworkspaces: []\n',
      'environments/edge.yaml': 'name: edge\n',
    })
    const granted = (isOpen: boolean) => {
      source?.close()
      source = createEnvironmentSource({ home: home.root, log, open: isOpen, follow: { poll_ms: 60_000 } })
      return ['production', 'edge', 'pay', 'none'].map((name) => [
        name,
        ...['default', 'payments'].filter((slug) => isGranted(source?.get(name) ?? {}, slug)),
      ])
    }
    const named = [['pay', 'payments'], ['none']]
    expect(granted(false)).toEqual([['production', 'default'], ['edge', 'default'], ...named])
    expect(granted(true)).toEqual([['production', 'default', 'payments'], ['edge', 'default', 'payments'], ...named])
  })

  it.each([
    ['["*", payments]', 'must be the only one'],
    ['[Payments]', 'the slug of a workspace'],
    ['payments', 'expected array'],
  ])('does not take workspaces: %s', (workspaces, why) => {
    const environments = open({ 'environments/pay.yaml': `name: pay\nworkspaces: ${workspaces}\n` })
    expect(problems(environments).join()).toContain(why)
    expect(environments.get('pay')).toBeUndefined()
  })

  it('lays files over them field by field', () => {
    const environments = open({
      'environments/production.yaml':
        'name: production\ncost_gate: { max_usd: 2 }\napproval: { min_approvals: 2 }\nprofile: careful\n',
      'profiles/careful.yaml': 'name: careful\nrequires_approval: [http.write, sql.write]\n',
    })
    expect(environments.get('production')).toMatchObject({
      class: 'production',
      cost_gate: { max_usd: 2 },
      approval: { min_approvals: 2, prevent_self: false },
      profile: 'careful',
    })
    expect(environments.profile('careful').requires_approval).toEqual(['http.write', 'sql.write'])
  })

  it('counts a new environment without a class as production, and gives nobody the reach of a laptop', () => {
    const environments = open({
      'environments/edge.yaml': 'name: edge\n',
      'environments/development.yaml': 'name: development\nclass: staging\n',
    })
    expect(environments.get('edge')).toMatchObject({ class: 'production', egress: [] })
    expect(environments.get('development')).toMatchObject({ class: 'staging', egress: [] })
  })

  it('keeps when a gate is announced again, where, and what a profile binds its runs to', () => {
    const environments = open({
      'environments/production.yaml':
        'name: production\napproval:\n  { remind_after: 30m, escalate_after: 2d, escalate_to: [lead], channels: [ops], links: false }\n',
      'profiles/careful.yaml':
        'name: careful\nenvironment: staging\naudit: { sink: file }\nlimits: { max_usd: 0.5 }\nrequire_plan_hash: true\n',
    })
    expect(environments.get('production')?.approval).toEqual({
      prevent_self: false,
      min_approvals: 1,
      remind_after_ms: 1_800_000,
      escalate_after_ms: 172_800_000,
      escalate_to: ['lead'],
      channels: ['ops'],
      links: false,
    })
    expect(environments.profile('careful')).toEqual({
      name: 'careful',
      requires_approval: [],
      environment: 'staging',
      limits: { max_usd: 0.5 },
      require_plan_hash: true,
    })
  })

  it.each([
    ['model_roles: { jury: big }', 'unknown key "jury"'],
    ['audit: { sink: s3 }', 'sink: takes file: the audit log of the deployment is the only sink'],
    ['audit: { anchor: git }', 'anchor: checkpoints of the audit log are not written yet'],
  ])('refuses a profile that says %s, which nobody would do', (line, why) => {
    const environments = open({ 'profiles/careful.yaml': `name: careful\n${line}\n` })
    expect(problems(environments)).toEqual([expect.stringContaining(why)])
    expect(() => environments.profile('careful')).toThrow('careful')
  })

  it('knows the profile default without a file, and no other', () => {
    const environments = open()
    expect(environments.profile('default').requires_approval).toEqual([])
    expect(() => environments.profile('carefull')).toThrow('there is no profile carefull')
  })

  it('reads what becomes of runs whose requester may not start them any more, and nothing that means neither', () => {
    const environments = open({ 'environments/staging.yaml': 'name: staging\non_lost_standing: cancel\n' })
    expect(environments.get('staging')?.on_lost_standing).toBe('cancel')
    expect(environments.get('production')?.on_lost_standing).toBeUndefined()
    expect(problems(open({ 'environments/staging.yaml': 'name: staging\non_lost_standing: ignore\n' }))).toEqual([
      expect.stringContaining('takes park, cancel'),
    ])
  })

  it('reads freezes that come again and freezes that happen once', () => {
    const environments = open({
      'environments/production.yaml': `name: production
freeze:
  - { name: weekend, cron: "0 18 * * FRI", duration: 62h, timezone: Europe/Berlin }
  - { name: holidays, interval: { from: "2026-12-24T18:00:00+01:00", to: 2027-01-02T00:00:00Z }, scope: all, freeze_approvers: [cto] }
`,
    })
    expect(problems(environments)).toEqual([])
    expect(environments.get('production')?.freeze).toEqual([
      {
        name: 'weekend',
        cron: '0 18 * * FRI',
        duration_ms: 223_200_000,
        timezone: 'Europe/Berlin',
        scope: 'writes',
        freeze_approvers: [],
      },
      {
        name: 'holidays',
        interval: { from: '2026-12-24T18:00:00+01:00', to: '2027-01-02T00:00:00Z' },
        scope: 'all',
        freeze_approvers: ['cto'],
      },
    ])
  })

  it.each([
    [
      'cron: "0 18 * * 5", duration: 1h, timezone: Europe/Berlinn',
      '3:60: timezone: "Europe/Berlinn" is not a time zone',
    ],
    ['cron: "0 18 * * 5", duration: 1h, timezone: europe/berlin', '3:60: timezone: "europe/berlin" is not a time zone'],
    ['cron: "0 18 * * 5", duration: 1h, timezone: "+01:00"', '3:60: timezone: "+01:00" is not a time zone'],
    [
      'cron: "0 25 * * 5", duration: 1h',
      '3:22: cron: "0 25 * * 5" is not a cron expression: 25 is out of range for the hour: 0 to 23',
    ],
    ['cron: "0 0 L * *", duration: 1h', '3:22: cron: "0 0 L * *" is not a cron expression: L is not supported'],
    ['cron: "0 0 * * 5#2", duration: 1h', '3:22: cron: "0 0 * * 5#2" is not a cron expression: # is not supported'],
    ['cron: "0 0 31 2 *", duration: 1h', '3:22: cron: "0 0 31 2 *" is not a cron expression: this date never comes'],
    ['cron: "0 0 0 * * *", duration: 1h', '3:22: cron: "0 0 0 * * *" is not a cron expression of five fields'],
    ['cron: "@daily", duration: 1h', '3:22: cron: "@daily" is not a cron expression of five fields'],
    ['cron: "0 18 * * 5"', '3:22: cron: how long? add duration, such as 48h'],
    ['cron: "0 18 * * 5", duration: 2 days', '3:46: duration: "2 days" is not a duration'],
    ['interval: { from: 2026-12-24, to: 2027-01-02T00:00:00Z }', '3:34: from: an RFC 3339 time with its offset'],
    ['interval: { from: 2027-01-02T00:00:00Z, to: 2027-01-02T00:00:00Z }', '3:60: to: not after from'],
    [
      'interval: { from: 2026-01-01T00:00:00Z, to: 2027-01-02T00:00:00Z }, duration: 1h',
      '3:94: duration: an interval ends',
    ],
    ['scope: reads, cron: "0 18 * * 5", duration: 1h', '3:23: scope: takes all, writes'],
    ['scope: all', '3:5: a freeze takes cron and duration, or interval'],
    ['crn: "0 18 * * 5", duration: 1h', '3:16: crn: unknown key "crn"'],
  ])('the freeze { %s } is refused at its place', (freeze, expected) => {
    const environments = open({ 'environments/staging.yaml': `name: staging\nfreeze:\n  - { name: x, ${freeze} }\n` })
    expect(problems(environments)[0]).toContain(`environments/staging.yaml:${expected}`)
    // what it would have restricted is not known
    expect(environments.get('staging')).toBeUndefined()
  })

  it('follows its files, and a broken one keeps its last good version', async () => {
    const environments = open(
      { 'environments/staging.yaml': 'name: staging\napproval: { min_approvals: 3 }\n' },
      {},
      20,
    )
    home.write({ 'environments/staging.yaml': 'name: staging\napproval: { min_approvals: none }\n' })
    await vi.waitUntil(() => environments.errors().length > 0, PATIENCE)
    expect(environments.get('staging')?.approval.min_approvals).toBe(3)
    expect(problems(environments)).toEqual([
      expect.stringMatching(/^environments\/staging.yaml:2:28: min_approvals: Invalid input/),
    ])
    home.write({ 'environments/staging.yaml': 'name: staging\napproval: { min_approvals: 4 }\n' })
    await vi.waitUntil(() => environments.get('staging')?.approval.min_approvals === 4, PATIENCE)
    expect(environments.errors()).toEqual([])
  })

  it('a file that is being written stays as it was until it is still', async () => {
    const [file, text] = ['environments/staging.yaml', 'name: staging\napproval: { min_approvals: 3 }\n']
    home.write({ [file]: text })
    let ahead = 0
    const clock = vi.fn(() => statSync(join(home.root, file)).mtimeMs + ahead)
    const environments = createEnvironmentSource({ home: home.root, log, follow: { poll_ms: 5, clock } })
    source = environments
    home.write({ [file]: 'name: staging\n' })
    const looks = clock.mock.calls.length
    await vi.waitUntil(() => clock.mock.calls.length > looks + 3, PATIENCE)
    expect(environments.get('staging')?.approval.min_approvals).toBe(3)
    ahead = 60_000
    await vi.waitUntil(() => environments.get('staging')?.approval.min_approvals === 1, PATIENCE)
  })

  it('a new file that is being written is no broken one', async () => {
    const file = 'environments/edge.yaml'
    let ahead = 0
    const clock = vi.fn(() => (statSync(join(home.root, file), { throwIfNoEntry: false })?.mtimeMs ?? 0) + ahead)
    const warn = vi.fn()
    home.write({ 'environments/live.yaml': 'name: live\n' })
    const environments = createEnvironmentSource({
      ...{ home: home.root, log: { ...log, warn }, follow: { poll_ms: 5, clock } },
    })
    source = environments
    home.write({ [file]: 'name: edge\n' })
    const looks = clock.mock.calls.length
    await vi.waitUntil(() => clock.mock.calls.length > looks + 5, PATIENCE)
    expect([environments.get('edge'), environments.errors()]).toEqual([undefined, []])
    ahead = 60_000
    await vi.waitUntil(() => environments.get('edge') !== undefined, PATIENCE)
    expect(warn).not.toHaveBeenCalled()
  })

  it.each([[''], ['# nothing here\n'], ['null\n']])('files that say %j keep their last good version', (text) => {
    const environments = open({
      'environments/staging.yaml': 'name: staging\napproval: { min_approvals: 3 }\n',
      'profiles/careful.yaml': 'name: careful\nrequires_approval: [read]\n',
      'rules/a.yaml': '- { name: first, on: alert, run: a/b }\n',
    })
    home.write({ 'environments/staging.yaml': text, 'profiles/careful.yaml': text, 'rules/a.yaml': text })
    environments.reload()
    expect(environments.get('staging')?.approval.min_approvals).toBe(3)
    expect(environments.profile('careful').requires_approval).toEqual(['read'])
    expect(environments.rules()).toHaveLength(1)
    expect(environments.errors()).toHaveLength(3)
  })

  it('does not run anything where it never knew the limits', () => {
    const environments = open({
      'environments/production.yaml': 'name: production\napproval: [',
      'profiles/strict.yaml': 'requires_approval: [',
    })
    expect(environments.get('production')).toBeUndefined()
    expect(() => environments.profile('strict')).toThrow('profiles/strict.yaml cannot be read')
  })

  it.each([
    ['environments/a.yaml', 'name: b', 'environments/a.yaml:1:7: the name is b, so the file must be called b.yaml'],
    [
      'environments/a.yaml',
      'name: a\nclass: prod',
      'environments/a.yaml:2:8: class: takes production, staging, development, sandbox',
    ],
    [
      'environments/a.yaml',
      'name: a\negres: []',
      'environments/a.yaml:2:1: egres: unknown key "egres"; did you mean egress?',
    ],
    [
      'environments/a.yaml',
      'name: a\nconnections: { main: { kind: postgres, url: "postgres://me:hunter2@db/app" } }',
      'environments/a.yaml:2:45: url: a secret reference: env:NAME, file:path or connection:<name>, never the secret itself',
    ],
    [
      'profiles/a.yaml',
      'name: a\nrequires_aproval: []',
      'profiles/a.yaml:2:1: requires_aproval: unknown key "requires_aproval"; did you mean requires_approval?',
    ],
    [
      'environments/a.yaml',
      'name: a\nfreeze: [{ name: x, cron: 0 0 * * 5, duration: 1h }, { name: x, cron: 0 0 * * 6, duration: 1h }]',
      'environments/a.yaml:2:62: name: the freeze name x is used twice',
    ],
    [
      'rules/a.yaml',
      '- { name: a, on: alert, run: a/b, match: { when: alert.x } }',
      expect.stringMatching(/^rules\/a.yaml:1:50: there is no alert.x/),
    ],
  ])('%s with %j is refused', (file, text, expected) => {
    expect(problems(open({ [file]: text }))).toEqual([expected])
  })

  it('reads overlay rules in the order of their files', () => {
    const environments = open({
      'rules/20.yaml': '- { name: second, on: alert, run: a/b }',
      'rules/10.yaml': '- { name: first, on: alert, run: a/b }',
    })
    expect(environments.rules()).toMatchObject([
      { name: 'first', layer: 'overlay', origin: 'rules/10.yaml' },
      { name: 'second', layer: 'overlay' },
    ])
  })

  it('resolves a connection’s secret when it is used, from a variable or a file', () => {
    home.write({ 'secret.txt': 'postgres://two\n' })
    const file = join(home.root, 'secret.txt')
    const environments = open(
      {
        'environments/staging.yaml': `name: staging\nconnections:\n  one: { kind: postgres, url: "env:DB" }\n  two: { kind: postgres, url: "file:${file}" }\n  none: { kind: postgres, url: "env:UNSET" }\n  gone: { kind: postgres, url: "file:${file}x" }\n`,
      },
      { DB: 'postgres://one' },
    )
    expect(environments.get('staging')?.connections.one).toEqual({ kind: 'postgres', url: 'env:DB' })
    expect(environments.connect('staging', 'one')).toEqual({ kind: 'postgres', url: 'postgres://one' })
    expect(environments.connect('staging', 'two')).toEqual({ kind: 'postgres', url: 'postgres://two' })
    const url = 'connection:orders'
    const document = {
      name: 'staging',
      connections: { one: { kind: 'http' as const, url }, api: { kind: 'http' as const, url } },
    }
    // a connection of the file stays what it is
    expect(environments.composed('staging', document)?.connections).toMatchObject({
      one: { kind: 'postgres', url: 'env:DB' },
      api: { kind: 'http', url },
    })
    expect(() => environments.connect('staging', 'none')).toThrow('the secret env:UNSET is not set')
    expect(() => environments.connect('staging', 'gone')).toThrow(/cannot be read \(ENOENT\)/)
    expect(() => environments.connect('staging', 'toString')).toThrow(
      'connection "toString" is not declared in environment "staging"; known: one, two, none, gone; add it to environments/staging.yaml',
    )
    expect(() => environments.connect('production', 'one')).toThrow(
      'connection "one" is not declared in environment "production"; known: none',
    )
  })
})

describe('what vanishes', () => {
  const STRICT = {
    'environments/production.yaml': 'name: production\napproval: { min_approvals: 2, prevent_self: true }\n',
    'environments/edge.yaml': 'name: edge\ncost_gate: { max_usd: 1 }\n',
    'profiles/careful.yaml': 'name: careful\nrequires_approval: [sql.write]\n',
    'profiles/default.yaml': 'name: default\nrequires_approval: [http.write]\n',
  }
  const path = (...parts: string[]) => join(home.root, ...parts)
  const reopen = () => {
    source?.close()
    return open()
  }
  const files = (from: EnvironmentSource) => from.errors().map(({ file }) => file)

  it.each<[string, (folder: string) => void]>([
    ['gone', () => undefined],
    ['a file', (folder) => writeFileSync(path(folder), '')],
    ['a link to nowhere', (folder) => symlinkSync(path('nowhere'), path(folder))],
  ])('with its folder, which is now %s, stays in force and is listed until the folder is back', (_, put) => {
    const environments = open(STRICT)
    for (const folder of ['environments', 'profiles']) {
      renameSync(path(folder), path(`${folder}.x`))
      put(folder)
    }
    environments.reload()
    expect(environments.get('production')?.approval).toMatchObject({ min_approvals: 2, prevent_self: true })
    expect(environments.get('edge')?.cost_gate).toEqual({ max_usd: 1 })
    expect(environments.profile('careful').requires_approval).toEqual(['sql.write'])
    expect(files(environments)).toEqual([
      'environments',
      'environments/edge.yaml',
      'environments/production.yaml',
      'profiles',
      'profiles/careful.yaml',
      'profiles/default.yaml',
    ])
    for (const folder of ['environments', 'profiles']) {
      rmSync(path(folder), { force: true })
      renameSync(path(`${folder}.x`), path(folder))
    }
    environments.reload()
    expect(environments.errors()).toEqual([])
    expect(environments.get('production')?.approval.min_approvals).toBe(2)
  })

  it('with its folder is shut after a restart, until the folder is back or its marker is removed', () => {
    open(STRICT)
    renameSync(path('environments'), path('environments.x'))
    renameSync(path('profiles'), path('profiles.x'))
    for (let start = 1; start <= 2; start += 1) {
      const environments = reopen()
      expect(environments.list().map(({ name }) => name)).toEqual(['staging', 'development', 'sandbox'])
      expect(environments.get('edge')).toBeUndefined()
      expect(() => environments.profile('careful')).toThrow('its gates are not known')
      expect(() => environments.profile('default')).toThrow('its gates are not known')
      expect(problems(environments)).toContain('environments: is not there. To have none of it, leave it empty')
    }
    renameSync(path('environments.x'), path('environments'))
    rmSync(path('profiles.held'))
    const environments = reopen()
    expect(environments.errors()).toEqual([])
    expect(environments.get('production')?.approval.min_approvals).toBe(2)
    expect(environments.profile('default').requires_approval).toEqual([])
  })

  it('from a folder that stands was taken away on purpose, also when the folder is empty then', () => {
    const environments = open(STRICT)
    rmSync(path('environments/edge.yaml'))
    environments.reload()
    expect(environments.get('edge')).toBeUndefined()
    expect(environments.get('production')?.approval.min_approvals).toBe(2)
    rmSync(path('environments'), { recursive: true })
    mkdirSync(path('environments'))
    environments.reload()
    expect(environments.get('production')?.approval.min_approvals).toBe(1)
    rmSync(path('environments'), { recursive: true })
    expect(reopen().errors()).toEqual([])
  })

  it('while another file cannot be read may have become that one, and stays', () => {
    const environments = open(STRICT)
    renameSync(path('environments/production.yaml'), path('environments/prodction.yaml'))
    environments.reload()
    expect(environments.get('production')?.approval.min_approvals).toBe(2)
    expect(files(environments)).toEqual(['environments/prodction.yaml', 'environments/production.yaml'])
    expect(reopen().get('production')).toBeUndefined()
    renameSync(path('environments/prodction.yaml'), path('environments/production.yml'))
    source?.reload()
    expect(source?.errors()).toEqual([])
    expect(source?.get('production')?.approval.min_approvals).toBe(2)
  })

  it('behind a link to nowhere stays', () => {
    const environments = open(STRICT)
    rmSync(path('environments/production.yaml'))
    symlinkSync(path('nowhere'), path('environments/production.yaml'))
    environments.reload()
    expect(environments.get('production')?.approval.min_approvals).toBe(2)
    expect(reopen().get('production')).toBeUndefined()
  })

  it('is not missed where nothing ever was', () => {
    expect(open().errors()).toEqual([])
    expect(reopen().errors()).toEqual([])
  })
})
