import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import { mkdir, mkdtemp, open as openFile, rename, rm, symlink, unlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { PolicySubject } from '#core/policy/types.ts'
import type { AuthoredRow } from '#platform/authored-cache.ts'
import {
  createPolicySource,
  type LivePolicySource,
  type PackPolicyDocument,
  type PolicySourceOptions,
} from '#platform/policies/policy-source.ts'
import { PATIENCE } from '#test/support/patience.ts'

const subject: PolicySubject = {
  environment: 'staging',
  environment_class: 'staging',
  risk: 'low',
  action_types: ['read'],
  capabilities: [],
}
const staging = { name: 'staging', class: 'staging', policies: [] as string[] }
const attaching = (...policies: string[]) => ({ ...staging, policies })
const policy = (name: string, effect: string) => `name: ${name}\nrules: [{ effect: ${effect} }]\n`
const row = (name: string, effect: string): AuthoredRow => ({
  name,
  document: policy(name, effect),
  author: 'usr_1',
})

let root: string
let overlayDir: string
let packs: PackPolicyDocument[]
let rows: AuthoredRow[]
let storeAnswers: () => Promise<void>
let loads: number
let now: number
let logged: { fields: object; message: string }[]
let source: LivePolicySource

function open(options: Partial<PolicySourceOptions> = {}): LivePolicySource {
  const record = (fields: object, message: string) => void logged.push({ fields, message })
  source = createPolicySource({
    overlayDir,
    packPolicies: () => packs,
    consolePolicies: async () => {
      loads++
      const answer = rows
      await storeAnswers()
      return answer
    },
    log: { info: record, warn: record },
    clock: () => now,
    poll_ms: 20,
    ...options,
  })
  return source
}

const NAMES = { environments: ['staging', 'live'], action_types: ['read', 'node.drain'], capabilities: ['http.egress'] }

const decide = async (environment = staging, workspace = 'ws_1') =>
  (await source.effective(workspace, environment)).decide({ ...subject, environment: environment.name })
const eventually = (effect: string) => vi.waitFor(async () => expect((await decide()).effect).toBe(effect), PATIENCE)

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'policies-'))
  overlayDir = join(root, 'policies')
  packs = []
  rows = []
  storeAnswers = async () => {}
  loads = 0
  now = 0
  logged = []
})

afterEach(async () => {
  await source.close()
  await rm(root, { recursive: true, force: true })
})

describe('the overlay directory', () => {
  it('may be missing, may appear later, and is followed without a restart', async () => {
    open()
    expect((await decide()).effect).toBe('allow_auto')
    await mkdir(overlayDir)
    await writeFile(join(overlayDir, 'guard.yaml'), policy('guard', 'require_hitl'))
    await eventually('require_hitl')
    await writeFile(join(overlayDir, 'guard.yaml'), policy('guard', 'deny'))
    await eventually('deny')
    await writeFile(join(overlayDir, 'next.tmp'), policy('guard', 'require_dry_run'))
    await rename(join(overlayDir, 'next.tmp'), join(overlayDir, 'guard.yaml'))
    await eventually('require_dry_run')
    await rm(join(overlayDir, 'guard.yaml'))
    await eventually('allow_auto')
    await writeFile(join(overlayDir, 'guard.yml'), policy('guard', 'deny'))
    await eventually('deny')
  })

  it('is looked at for each judgement, so that no process goes by what another one no longer finds', async () => {
    open({ poll_ms: 3_600_000, file_clock: () => Date.now() + 60_000 })
    expect((await decide()).effect).toBe('allow_auto')
    mkdirSync(overlayDir)
    writeFileSync(join(overlayDir, 'guard.yaml'), policy('guard', 'deny'))
    expect((await Promise.all([decide(), decide()])).map(({ effect }) => effect)).toEqual(['deny', 'deny'])
  })

  it('stays in force when it is moved away, with the gate on, and is followed again where it comes back', async () => {
    await mkdir(overlayDir)
    await writeFile(join(overlayDir, 'guard.yaml'), policy('guard', 'deny'))
    open()
    expect((await decide()).effect).toBe('deny')
    await rename(overlayDir, join(root, 'elsewhere'))
    await vi.waitFor(async () => expect((await decide()).broken_policies).toEqual(['policies directory']), PATIENCE)
    expect((await decide()).effect).toBe('deny')
    const { broken } = (await source.effective('ws_1', staging)).merged
    expect(broken[0]?.problems[0]?.message).toContain('is not there')
    await mkdir(overlayDir)
    await writeFile(join(overlayDir, 'guard.yaml'), policy('guard', 'require_dry_run'))
    await eventually('require_dry_run')
    expect((await decide()).broken_policies).toEqual([])
  })

  it('turns the gate on when it was removed file by file', async () => {
    await mkdir(overlayDir)
    await writeFile(join(overlayDir, 'guard.yaml'), policy('guard', 'deny'))
    open()
    expect((await decide()).effect).toBe('deny')
    await rm(join(overlayDir, 'guard.yaml'))
    await eventually('allow_auto')
    await rm(overlayDir, { recursive: true })
    await eventually('require_hitl')
  })

  it('that held policies turns the gate on when it is gone at the next start; one that was emptied does not', async () => {
    const heldFile = join(root, 'policies.held')
    await mkdir(overlayDir)
    await writeFile(join(overlayDir, 'guard.yaml'), policy('guard', 'deny'))
    open({ heldFile })
    expect((await decide()).effect).toBe('deny')
    await source.close()
    await rename(overlayDir, join(root, 'elsewhere'))
    open({ heldFile })
    expect(await decide()).toMatchObject({ effect: 'require_hitl', broken_policies: ['policies directory'] })
    await source.close()
    await mkdir(overlayDir)
    open({ heldFile })
    expect((await decide()).effect).toBe('allow_auto')
    await source.close()
    await rm(overlayDir, { recursive: true })
    open({ heldFile })
    expect((await decide()).effect).toBe('allow_auto')
  })

  it('that was asked for by name must be there', async () => {
    open({ overlayRequired: true })
    expect(await decide()).toMatchObject({ effect: 'require_hitl', broken_policies: ['policies directory'] })
    await mkdir(overlayDir)
    await eventually('allow_auto')
  })

  it.each<[string, (from: string) => Promise<void>, string]>([
    [
      'into a folder',
      (from) => mkdir(join(overlayDir, 'prod')).then(() => rename(from, join(overlayDir, 'prod', 'guard.yaml'))),
      'prod',
    ],
    ['to a .json', (from) => rename(from, join(overlayDir, 'guard.json')), 'guard.json'],
    [
      'behind a link to a folder',
      async (from) => {
        await mkdir(join(root, 'other'))
        await symlink(join(root, 'other'), join(overlayDir, 'current'))
        await rename(from, join(root, 'other', 'guard.yaml'))
      },
      'current',
    ],
  ])('keeps the policies of a file that is moved %s, with the gate on, until that is gone', async (_, move, label) => {
    await mkdir(overlayDir)
    const file = join(overlayDir, 'guard.yaml')
    await writeFile(file, policy('guard', 'deny'))
    open({ poll_ms: 60_000 })
    expect((await decide()).effect).toBe('deny')
    await move(file)
    await source.reload()
    expect(await decide()).toMatchObject({ effect: 'deny', broken_policies: [label] })
    await source.reload()
    expect(await decide()).toMatchObject({ effect: 'deny', broken_policies: [label] })
    await rm(join(overlayDir, label), { recursive: true })
    await source.reload()
    expect((await decide()).effect).toBe('allow_auto')
  })

  it('is complete at the first decision', async () => {
    await mkdir(overlayDir)
    await writeFile(join(overlayDir, 'a.yaml'), policy('a', 'require_dry_run'))
    await writeFile(join(overlayDir, 'b.YML'), policy('b', 'deny'))
    await writeFile(join(overlayDir, '.b.yaml'), 'name: [')
    await writeFile(join(overlayDir, 'notes.txt'), 'name: [')
    open()
    expect((await decide()).matched.map(({ name, layer, effect }) => [name, layer, effect])).toEqual([
      ['a', 'overlay', 'require_dry_run'],
      ['b', 'overlay', 'deny'],
    ])
  })

  it('turns the gate on for a file that breaks, says where, and recovers with it', async () => {
    await mkdir(overlayDir)
    const file = join(overlayDir, 'guard.yaml')
    await writeFile(file, policy('guard', 'DENY'))
    open()
    expect(await decide()).toMatchObject({ effect: 'require_hitl', broken_policies: ['guard'] })
    expect(logged).toContainEqual({
      fields: {
        layer: 'overlay',
        policy: 'guard',
        problems: [expect.stringMatching(/^guard\.yaml:2:19: rules\[0\]\.effect: unknown effect "DENY"/)],
      },
      message: 'broken policy: the gate is on in its scope',
    })
    await writeFile(file, policy('guard', 'allow_auto'))
    await eventually('allow_auto')
  })

  it('keeps what a policy asked for before it broke, and nothing that it let through', async () => {
    await mkdir(overlayDir)
    const file = join(overlayDir, 'guard.yaml')
    const role = 'name: care\nrules: [{ effect: require_hitl, approval_role: dba }]\n'
    const both = `${policy('guard', 'deny')}---\n${role}---\n${policy('ease', 'allow_auto')}`
    await writeFile(file, both)
    open()
    expect(await decide()).toMatchObject({ effect: 'deny', broken_policies: [] })
    await writeFile(file, both.replace('effect: deny', 'effect: denny'))
    await vi.waitFor(async () => expect((await decide()).broken_policies).toEqual(['guard']), PATIENCE)
    expect(await decide()).toMatchObject({ effect: 'deny', approval_roles: [['dba']] })
    // still so after another fault, or when it is emptied
    await writeFile(file, 'name: [')
    await vi.waitFor(async () => expect((await decide()).broken_policies).toEqual(['guard.yaml']), PATIENCE)
    expect(await decide()).toMatchObject({ effect: 'deny', approval_roles: [['dba']] })
    await writeFile(file, policy('guard', 'require_hitl'))
    await vi.waitFor(async () => expect((await decide()).broken_policies).toEqual([]), PATIENCE)
    expect(await decide()).toMatchObject({ effect: 'require_hitl', approval_roles: [] })
  })

  it('keeps the pack policy that a broken override would have replaced', async () => {
    packs = [{ pack: 'core', source: 'core/policies/guard.yaml', text: policy('guard', 'deny') }]
    await mkdir(overlayDir)
    await writeFile(join(overlayDir, 'guard.yaml'), `${policy('guard', 'allow_auto')}unknown: key\n`)
    open()
    expect(await decide()).toMatchObject({ effect: 'deny', broken_policies: ['guard'] })
    await writeFile(join(overlayDir, 'guard.yaml'), policy('guard', 'allow_auto'))
    await eventually('allow_auto')
  })

  it.each([
    ['a dangling link', () => symlink(join(root, 'nowhere'), join(overlayDir, 'link.yaml')), 'link.yaml'],
    ['a directory by that name', () => mkdir(join(overlayDir, 'folder.yaml')), 'folder.yaml'],
    [
      'bytes that are no UTF-8',
      () => writeFile(join(overlayDir, 'latin.yaml'), Buffer.from([0x61, 0xff])),
      'latin.yaml',
    ],
  ])('turns the gate on for %s', async (_, make, label) => {
    await mkdir(overlayDir)
    await make()
    open()
    expect(await decide()).toMatchObject({ effect: 'require_hitl', broken_policies: [label] })
  })

  it('turns the gate on everywhere while it is not a directory, and keeps what it knew', async () => {
    const pointTo = async (target: string) => {
      await symlink(join(root, target), join(root, 'next'))
      await rename(join(root, 'next'), overlayDir)
    }
    await mkdir(join(root, 'real'))
    await writeFile(join(root, 'real', 'guard.yaml'), policy('guard', 'deny'))
    await writeFile(join(root, 'file'), policy('guard', 'allow_auto'))
    await pointTo('file')
    open()
    expect(await decide()).toMatchObject({ effect: 'require_hitl', broken_policies: ['policies directory'] })
    await pointTo('real')
    await eventually('deny')
    await pointTo('file')
    await vi.waitFor(async () => expect((await decide()).broken_policies).toEqual(['policies directory']), PATIENCE)
    expect((await decide()).effect).toBe('deny')
    await pointTo('real')
    await vi.waitFor(async () => expect((await decide()).broken_policies).toEqual([]), PATIENCE)
    expect((await decide()).effect).toBe('deny')
  })

  it('keeps the last known policies of a file that becomes unreadable, with the gate on', async () => {
    await mkdir(overlayDir)
    const file = join(overlayDir, 'guard.yaml')
    await writeFile(file, policy('guard', 'deny'))
    open()
    expect((await decide()).effect).toBe('deny')
    await symlink(root, join(root, 'next'))
    await rename(join(root, 'next'), file)
    await vi.waitFor(async () => expect((await decide()).broken_policies).toEqual(['guard.yaml']), PATIENCE)
    expect((await decide()).effect).toBe('deny')
    await rm(file)
    await eventually('allow_auto')
  })

  it('decides by the policies of a file while that is saved again and again', async () => {
    await mkdir(overlayDir)
    const file = join(overlayDir, 'guard.yaml')
    const text = `# a comment\n- { name: other, rules: [{ effect: allow_auto }] }\n- { name: guard, rules: [{ effect: deny }] }\n`
    const half = text.indexOf('- { name: guard')
    await writeFile(file, text)
    let ahead = 60_000
    const timeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
    open({ poll_ms: 1, file_clock: () => Math.max(timeOf(file), timeOf(overlayDir)) + ahead })
    const seen = new Set<string>()
    const look = async () => {
      const { effect, broken_policies } = await decide()
      seen.add(`${effect} ${broken_policies}`)
    }
    await look()
    for (let round = 0; round < 200; round++) {
      ahead = 0
      if (round % 3 === 0) await unlink(file)
      await look()
      const handle = await openFile(file, 'w')
      await look()
      await handle.write(text.slice(0, half))
      await look()
      await handle.write(text.slice(half))
      await handle.close()
      ahead = 60_000
      await source.reload()
      await look()
    }
    expect([...seen]).toEqual(['deny '])
  })

  describe.each([
    ['empty', ''],
    ['only comments', '# name: guard\n# rules: [{ effect: deny }]\n'],
    ['null', '---\nnull\n'],
  ])('a file that is %s', (_, text) => {
    it('keeps the policies that it held, with the gate on', async () => {
      await mkdir(overlayDir)
      const file = join(overlayDir, 'guard.yaml')
      await writeFile(file, policy('guard', 'deny'))
      open({ poll_ms: 60_000 })
      expect((await decide()).effect).toBe('deny')
      await writeFile(file, text)
      await source.reload()
      expect(await decide()).toMatchObject({ effect: 'deny', broken_policies: ['guard.yaml'] })
      const { broken } = (await source.effective('ws_1', staging)).merged
      expect(broken[0]?.problems[0]?.message).toContain('no policy in this file')
      await writeFile(file, policy('guard', 'require_dry_run'))
      await source.reload()
      expect(await decide()).toMatchObject({ effect: 'require_dry_run', broken_policies: [] })
    })

    it('turns the gate on everywhere where nobody knows what it held', async () => {
      await mkdir(overlayDir)
      await writeFile(join(overlayDir, 'guard.yaml'), text)
      open()
      expect(await decide()).toMatchObject({ effect: 'require_hitl', broken_policies: ['guard.yaml'] })
    })
  })

  it('gives the same set until something changes', async () => {
    await mkdir(overlayDir)
    await writeFile(join(overlayDir, 'a.yaml'), policy('a', 'deny'))
    open()
    const set = await source.effective('ws_1', staging)
    await source.reload()
    expect(await source.effective('ws_2', { ...staging, name: 'eu' })).toBe(set)
    await writeFile(join(overlayDir, 'b.yaml'), policy('b', 'deny'))
    await source.reload()
    const changed = await source.effective('ws_1', staging)
    expect(changed.snapshot_hash).not.toBe(set.snapshot_hash)
    expect(changed.snapshot_hash).toMatch(/^sha256:[0-9a-f]{64}$/)
  })
})

describe('pack policies', () => {
  it('of a broken pack stop and ask, and let nothing through', async () => {
    const text = `name: a\nrules: [{ effect: allow_auto }, { effect: require_dry_run }]\n---\n${policy('b', 'allow_auto')}`
    packs = [{ pack: 'core', source: 'core/policies/a.yaml', text, stops_only: true }]
    open()
    expect((await decide()).matched.map(({ name, effect }) => [name, effect])).toEqual([['a', 'require_dry_run']])
    packs = [{ pack: 'core', source: 'core/policies', text: '', problem: 'the pack cannot be read' }]
    expect(await decide()).toMatchObject({ effect: 'require_hitl', broken_policies: ['core/policies'] })
  })

  it('are read again when a pack changes', async () => {
    open()
    expect((await decide()).effect).toBe('allow_auto')
    packs = [{ pack: 'core', source: 'core/policies/a.yaml', text: policy('a', 'deny') }]
    expect((await decide()).matched).toMatchObject([{ name: 'a', layer: 'pack' }])
    packs.push({ pack: 'other', source: 'other/policies/a.yaml', text: policy('a', 'allow_auto') })
    expect((await decide()).matched).toHaveLength(2)
    expect(logged.map(({ message }) => message)).toContain(
      'the policy name "a" is used by several packs (core, other): all of them apply',
    )
  })
})

describe('console policies', () => {
  it('count where they are attached, and nowhere else', async () => {
    rows = [row('night', 'deny')]
    open()
    expect((await decide()).effect).toBe('allow_auto')
    expect(loads).toBe(0)
    expect(await decide(attaching('night'))).toMatchObject({ effect: 'deny', matched: [{ layer: 'console' }] })
  })

  it('may loosen where they are attached, and the log says who did it', async () => {
    packs = [{ pack: 'core', source: 'core/policies/guard.yaml', text: policy('guard', 'deny') }]
    rows = [row('guard', 'allow_auto')]
    open()
    expect((await decide()).effect).toBe('deny')
    expect((await decide(attaching('guard'))).effect).toBe('allow_auto')
    const fields = { workspace_id: 'ws_1', environment: 'staging', policy: 'guard', layer: 'console', author: 'usr_1' }
    expect(logged).toContainEqual({ fields, message: 'a policy override may loosen' })
  })

  it('that are attached and missing turn the gate on, by name', async () => {
    open()
    expect(await decide(attaching('gone'))).toMatchObject({ effect: 'require_hitl', broken_policies: ['gone'] })
  })

  it.each([
    ['is not readable', 'name: ['],
    ['has another name', policy('other', 'allow_auto')],
    ['is empty', ''],
    ['holds two', `${policy('night', 'deny')}---\n${policy('more', 'deny')}`],
  ])('turn the gate on when their document %s', async (_, document) => {
    rows = [{ name: 'night', document, author: 'usr_1' }]
    open()
    expect(await decide(attaching('night'))).toMatchObject({ effect: 'require_hitl', broken_policies: ['night'] })
    expect((await decide()).effect).toBe('allow_auto')
  })

  it('are asked for once a second at most, and at once after a change', async () => {
    rows = [row('night', 'deny')]
    open()
    await Promise.all([decide(attaching('night')), decide(attaching('night'))])
    now = 999
    await decide(attaching('night'))
    expect(loads).toBe(1)
    rows = [row('night', 'require_dry_run')]
    source.invalidate('ws_1')
    expect((await decide(attaching('night'))).effect).toBe('require_dry_run')
    rows = [row('night', 'allow_auto')]
    now = 2_000
    expect((await decide(attaching('night'))).effect).toBe('allow_auto')
    expect(loads).toBe(3)
  })

  it('loaded before a change never hide it', async () => {
    rows = [row('night', 'allow_auto')]
    let release = () => {}
    storeAnswers = () =>
      new Promise((resolve) => {
        release = resolve
      })
    open()
    const before = decide(attaching('night'))
    await vi.waitFor(() => expect(loads).toBe(1), PATIENCE)
    rows = [row('night', 'deny')]
    source.invalidate('ws_1')
    storeAnswers = async () => {}
    expect((await decide(attaching('night'))).effect).toBe('deny')
    release()
    await before
    expect((await decide(attaching('night'))).effect).toBe('deny')
  })

  it('stay in force with the gate on while their store does not answer', async () => {
    rows = [row('night', 'deny'), row('day', 'allow_auto')]
    open({ timeout_ms: 500 })
    const both = attaching('night', 'day')
    const healthy = await source.effective('ws_1', both)
    storeAnswers = () => Promise.reject(new Error('connection refused'))
    now = 2_000
    expect(await decide(attaching('day'))).toMatchObject({
      effect: 'require_hitl',
      broken_policies: ['console policies'],
    })
    expect(await decide(both)).toMatchObject({ effect: 'deny', broken_policies: ['console policies'] })
    expect((await decide()).effect).toBe('allow_auto')
    storeAnswers = () => new Promise(() => {})
    now = 4_000
    expect((await decide(attaching('day'))).effect).toBe('require_hitl')
    expect(logged.filter(({ message }) => message.startsWith('console policies unreachable'))).toHaveLength(1)
    storeAnswers = async () => {}
    now = 6_000
    expect((await source.effective('ws_1', both)).snapshot_hash).toBe(healthy.snapshot_hash)
  })

  it('that could never be read turn the gate on', async () => {
    storeAnswers = () => Promise.reject(new Error('connection refused'))
    open()
    expect(await decide(attaching('night'))).toMatchObject({ effect: 'require_hitl' })
  })

  it('of one workspace are not seen by another', async () => {
    open({ consolePolicies: async (workspace) => [row('night', workspace === 'ws_1' ? 'deny' : 'allow_auto')] })
    expect((await decide(attaching('night'), 'ws_1')).effect).toBe('deny')
    expect((await decide(attaching('night'), 'ws_2')).effect).toBe('allow_auto')
  })
})

describe('a policy that names what there is not', () => {
  const guarding = (environment: string) =>
    `name: guard\napplies_to: { environments: [${environment}], action_types: [read] }\nrules: [{ effect: require_hitl }]\n`

  it('turns the gate on everywhere, is logged once, and counts as it is written when the name is there', async () => {
    packs = [{ pack: 'demo', source: 'demo/policies/guard.yaml', text: guarding('lvie') }]
    let names = NAMES
    open({ names: () => names })
    expect(await decide()).toMatchObject({ effect: 'require_hitl', broken_policies: ['guard'] })
    await decide()
    const reported = logged.filter(({ message }) => message.startsWith('broken policy'))
    expect(reported).toMatchObject([
      { fields: { problems: [expect.stringContaining('there is no environment or class lvie; did you mean live?')] } },
    ])
    names = { ...NAMES, environments: [...NAMES.environments, 'lvie'] }
    expect(await decide()).toMatchObject({ effect: 'allow_auto', broken_policies: [] })
  })

  it('is nothing to worry about where all it does is to let through', async () => {
    packs = [{ pack: 'demo', source: 'p.yaml', text: guarding('lvie').replace('require_hitl', 'allow_auto') }]
    open({ names: () => NAMES })
    expect(await decide()).toMatchObject({ broken_policies: [] })
  })

  it('never takes the place of what asked for more, even where all it does is to let through', async () => {
    packs = [{ pack: 'demo', source: 'p.yaml', text: guarding('staging') }]
    const loosened = guarding('stagign').replace('require_hitl', 'allow_auto')
    rows = [{ ...row('guard', 'allow_auto'), document: loosened }]
    open({ names: () => NAMES })
    expect(await decide(attaching('guard'))).toMatchObject({ effect: 'require_hitl', broken_policies: ['guard'] })
  })
})
