import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createBackupStore } from '#platform/backups/backup-store.ts'

const place = { workspace_id: 'ws_1', id: 'run_1.backup' }
let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'svc-store-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

async function* pieces(...texts: string[]) {
  for (const text of texts) yield Buffer.from(text)
}
async function textOf(source: AsyncIterable<Uint8Array>): Promise<string> {
  const all: Uint8Array[] = []
  for await (const piece of source) all.push(piece)
  return Buffer.concat(all).toString()
}
async function kept(manifest = '{}') {
  const store = createBackupStore(dir)
  const draft = await store.begin(place)
  await draft.write('1.gz', pieces('one', 'two'))
  await draft.finish(manifest)
  return store
}

describe('the store of backups', () => {
  it('gives back what was written, to its owner alone', async () => {
    const store = await kept('{"v":1}')
    expect(await store.list('ws_1')).toEqual(['run_1.backup'])
    expect(await store.manifest(place)).toBe('{"v":1}')
    expect(await textOf(store.read(place, '1.gz'))).toBe('onetwo')
    for (const file of ['1.gz', 'manifest.json'])
      expect(statSync(join(dir, 'ws_1', 'run_1.backup', file)).mode & 0o777).toBe(0o600)
    expect(statSync(join(dir, 'ws_1', 'run_1.backup')).mode & 0o777).toBe(0o700)
  })

  it('shows a draft to nobody, leaves nothing of an abandoned one, and takes the same id again', async () => {
    const store = createBackupStore(dir)
    const draft = await store.begin(place)
    await draft.write('1.gz', pieces('half'))
    expect([await store.list('ws_1'), await store.manifest(place)]).toEqual([[], undefined])
    await draft.abandon()
    const again = await kept()
    await kept('{"second":true}')
    expect([await again.list('ws_1'), await again.manifest(place)]).toEqual([['run_1.backup'], '{"second":true}'])
    await again.remove(place)
    expect(await again.list('ws_1')).toEqual([])
  })

  it('fails where a file is damaged, cut off or gone', async () => {
    const store = await kept()
    const file = join(dir, 'ws_1', 'run_1.backup', '1.gz')
    const bytes = readFileSync(file)
    writeFileSync(file, bytes.subarray(0, bytes.length - 4))
    await expect(textOf(store.read(place, '1.gz'))).rejects.toThrow('unexpected end of file')
    writeFileSync(file, 'no gzip')
    await expect(textOf(store.read(place, '1.gz'))).rejects.toThrow('incorrect header check')
    await expect(textOf(store.read(place, '2.gz'))).rejects.toThrow('ENOENT')
  })

  it('passes on what the source fails of', async () => {
    const store = createBackupStore(dir)
    const draft = await store.begin(place)
    const failing = async function* () {
      yield Buffer.from('x')
      throw new Error('the line was cut')
    }
    await expect(draft.write('1.gz', failing())).rejects.toThrow('the line was cut')
  })

  it.each(['../etc', 'a/b', '..', '', '.hidden', 'a..b', '/etc'])(
    'has no backup and no file called %j',
    async (name) => {
      const store = await kept()
      await expect(store.begin({ ...place, id: name })).rejects.toThrow('not a name of a backup')
      await expect(store.begin({ ...place, workspace_id: name })).rejects.toThrow('not a name of a backup')
      await expect(textOf(store.read(place, name))).rejects.toThrow('not a name of a backup')
    },
  )
})
