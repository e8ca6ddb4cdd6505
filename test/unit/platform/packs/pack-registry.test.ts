import { renameSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { faultText } from '#core/file-fault.ts'
import { createPackRegistry, type PackRegistry } from '#platform/packs/pack-registry.ts'
import { PATIENCE } from '#test/support/patience.ts'
import { stubCatalog } from '../../core/plan/stub-catalog.ts'
import { DEMO_PACK, PACK_YAML, TEMPLATE_YAML, temporaryFolder } from './pack-folder.ts'

/** A busy machine may take a while; a quick one does not wait. */

const log = { info: () => undefined, warn: () => undefined }
let folder: ReturnType<typeof temporaryFolder>
let extra: ReturnType<typeof temporaryFolder>
let registry: PackRegistry | undefined

beforeEach(() => {
  folder = temporaryFolder()
  extra = temporaryFolder()
  folder.write(DEMO_PACK)
})
afterEach(() => {
  registry?.close()
  folder.remove()
  extra.remove()
})

function open(poll_ms = 60_000, dirs = [folder.root, extra.root]): PackRegistry {
  registry = createPackRegistry({ dirs, catalog: stubCatalog, log, follow: { poll_ms } })
  return registry
}

/** Real changes of real files arrive when the system reports them; nothing here waits for a fixed time. */
const changed = (packs: PackRegistry) => new Promise<void>((resolve) => packs.onChange(resolve))

describe('createPackRegistry', () => {
  it('has every sound pack at once', () => {
    const packs = open()
    expect(packs.list().map(({ name }) => name)).toEqual(['demo'])
    expect(packs.errors()).toEqual([])
    expect(packs.findTemplate('demo', 'hello')?.plan.digest).toMatch(/^sha256:/)
    expect(packs.findTemplate('demo', 'nope')).toBeUndefined()
    expect(packs.findTemplate('demo', '__proto__')).toBeUndefined()
    expect(packs.rules()).toHaveLength(1)
    expect(packs.policies()).toMatchObject([{ pack: 'demo', source: 'demo/policies/guard.yaml' }])
  })

  it('loads a changed file without a restart, and old plans stay as they are', async () => {
    const packs = open()
    const before = packs.findTemplate('demo', 'hello')
    const changes = changed(packs)
    folder.write({ 'demo/templates/hello.yaml': TEMPLATE_YAML.replace('Say hello', 'Say goodbye') })
    await changes
    await vi.waitUntil(() => packs.findTemplate('demo', 'hello')?.title === 'Say goodbye', PATIENCE)
    expect(before?.title).toBe('Say hello')
    expect(packs.findTemplate('demo', 'hello')?.plan.digest).not.toBe(before?.plan.digest)
  })

  it('finds changes by looking where watching reports nothing', async () => {
    const missing = join(extra.root, 'later')
    const packs = open(20, [folder.root, missing])
    expect(packs.errors()).toMatchObject([{ pack: 'later', faults: [{ message: 'there is no such directory' }] }])
    const changes = changed(packs)
    extra.write({ 'later/more/pack.yaml': PACK_YAML.replace('demo', 'more') })
    await changes
    await vi.waitUntil(() => packs.list().some(({ name }) => name === 'more'), PATIENCE)
    expect(packs.errors()).toEqual([])
  })

  it('keeps the last good version of a pack that breaks, and says what is wrong', () => {
    const packs = open()
    const good = packs.list()
    folder.write({
      'demo/templates/hello.yaml': TEMPLATE_YAML.replace('http.request', 'nope'),
      'demo/policies/guard.yaml': 'name: guard\nrules: [{ effect: allow_auto }]\n',
    })
    packs.reload()
    expect(packs.list()).toEqual(good)
    expect(packs.policies()[0]?.text).toContain('require_hitl')
    expect(packs.errors()).toMatchObject([{ pack: 'demo', in_force: '1.0.0' }])
    expect(packs.errors()[0]?.faults.map(faultText)).toEqual(['demo/templates/hello.yaml:8:15: unknown operator nope'])
    folder.write(DEMO_PACK)
    packs.reload()
    expect(packs.errors()).toEqual([])
  })

  it('stays as it was while its files are being written', async () => {
    let ahead = 0
    const clock = vi.fn(() => statSync(join(folder.root, 'demo/policies/guard.yaml')).mtimeMs + ahead)
    registry = createPackRegistry({ dirs: [folder.root], catalog: stubCatalog, log, follow: { poll_ms: 5, clock } })
    const packs = registry
    const before = packs.policies()
    folder.write({ 'demo/policies/guard.yaml': 'name: guard\nrules: [{ effect: require_hitl }, { effect: deny }]\n' })
    const looks = clock.mock.calls.length
    await vi.waitUntil(() => clock.mock.calls.length > looks + 20, PATIENCE)
    expect(packs.policies()).toBe(before)
    ahead = 60_000
    await vi.waitUntil(() => packs.policies()[0]?.text.includes('deny'), PATIENCE)
  })

  it.each([[''], ['# nothing here\n'], ['null\n']])('is broken by a policy file that says %j', (text) => {
    const packs = open()
    folder.write({ 'demo/policies/guard.yaml': text })
    packs.reload()
    expect(packs.policies()).toMatchObject([{ text: expect.stringContaining('require_hitl') }])
    expect(packs.errors().flatMap(({ faults }) => faults.map(faultText))).toEqual([
      'demo/policies/guard.yaml: no policy in this file; to have none, remove the file',
    ])
    registry?.close()
    expect(open().policies()).toMatchObject([{ source: 'demo/policies/guard.yaml', problem: expect.any(String) }])
  })

  it('has a broken pack’s policies in force even when it never loaded', () => {
    folder.write({ 'demo/pack.yaml': 'name: [' })
    const packs = open()
    expect(packs.list()).toEqual([])
    expect(packs.policies()).toMatchObject([{ source: 'demo/policies/guard.yaml' }])
  })

  it('keeps the packs of a directory that is moved away, and says so', () => {
    const packs = open()
    const good = packs.list()
    renameSync(folder.root, `${folder.root}-elsewhere`)
    packs.reload()
    expect(packs.list()).toEqual(good)
    expect(packs.policies()).toMatchObject([{ source: 'demo/policies/guard.yaml' }])
    expect(packs.errors()).toMatchObject([{ faults: [{ message: 'there is no such directory' }] }])
    renameSync(`${folder.root}-elsewhere`, folder.root)
    packs.reload()
    expect(packs.errors()).toEqual([])
  })

  it('needs no directory in SVC_HOME, loads it when it comes, and keeps its packs when it vanishes', () => {
    const own = join(extra.root, 'packs')
    const packs = createPackRegistry({
      ...{ dirs: [folder.root, own], optional: own, catalog: stubCatalog, log, follow: { poll_ms: 60_000 } },
    })
    try {
      expect([packs.errors(), packs.policies().length]).toEqual([[], 1])
      extra.write({ 'packs/more/pack.yaml': PACK_YAML.replace('demo', 'more') })
      packs.reload()
      expect(packs.list().map(({ name }) => name)).toEqual(['demo', 'more'])
      renameSync(own, `${own}-elsewhere`)
      packs.reload()
      expect(packs.list().map(({ name }) => name)).toEqual(['demo', 'more'])
      expect(packs.errors()).toMatchObject([{ faults: [{ message: 'there is no such directory' }] }])
    } finally {
      packs.close()
    }
  })

  it('has the gate on for a directory that was never there, and for a pack that cannot be read', () => {
    const missing = join(extra.root, 'later')
    symlinkSync(join(folder.root, 'nowhere'), join(folder.root, 'demo', 'dangling'))
    expect(open(60_000, [folder.root, missing]).policies()).toEqual([
      { pack: 'demo', source: 'demo/policies', text: '', problem: 'the pack cannot be read' },
      { pack: 'later', source: missing, text: '', problem: 'there is no such directory' },
    ])
  })

  it('forgets a pack that was removed', () => {
    const packs = open()
    rmSync(join(folder.root, 'demo'), { recursive: true })
    packs.reload()
    expect([packs.list(), packs.rules(), packs.policies(), packs.errors()]).toEqual([[], [], [], []])
  })

  it('does not let a second pack of the same name replace the first', () => {
    extra.write({ ...DEMO_PACK, 'demo/templates/hello.yaml': TEMPLATE_YAML.replace('Say hello', 'Evil') })
    const packs = open()
    expect(packs.findTemplate('demo', 'hello')?.title).toBe('Say hello')
    expect(packs.errors()[0]?.faults[0]?.message).toContain('there is a pack demo already')
  })

  it('tells nobody when nothing changed, and the lists stay the same objects', () => {
    const packs = open()
    const reported = vi.fn()
    const stop = packs.onChange(reported)
    const before = packs.policies()
    packs.reload()
    expect(packs.policies()).toBe(before)
    expect(reported).not.toHaveBeenCalled()
    renameSync(join(folder.root, 'demo/rules/alerts.yaml'), join(folder.root, 'demo/rules/renamed.yaml'))
    packs.reload()
    expect(reported).toHaveBeenCalledTimes(1)
    stop()
    folder.write(DEMO_PACK)
    packs.reload()
    expect(reported).toHaveBeenCalledTimes(1)
  })
})
