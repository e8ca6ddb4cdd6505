import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { createYamlFolder } from '#platform/environments/yaml-folder.ts'

/** Points `current` to one folder and to the other, as fast as it can, until it is told to stop. */
const SWAPPING = `
const { renameSync, symlinkSync } = require('node:fs')
const { workerData: { root, stop } } = require('node:worker_threads')
const ended = new Int32Array(stop)
for (let n = 0; Atomics.load(ended, 0) === 0; n += 1) {
  symlinkSync(root + (n % 2 === 0 ? '/file' : '/real'), root + '/next')
  renameSync(root + '/next', root + '/current')
}`

test('a folder that is replaced while it is read keeps what its files said', async () => {
  const root = await mkdtemp(join(tmpdir(), 'folder-'))
  await mkdir(join(root, 'real'))
  await writeFile(join(root, 'real', 'strict.yaml'), 'strict')
  await writeFile(join(root, 'file'), '')
  await symlink(join(root, 'real'), join(root, 'current'))
  const folder = createYamlFolder(root, 'current', (_file, bytes) => ({ value: new TextDecoder().decode(bytes) }), {
    marker: join(root, 'held'),
  })
  folder.reload({ as_it_is: true })
  const stop = new SharedArrayBuffer(4)
  const swapping = new Worker(SWAPPING, { eval: true, workerData: { root, stop } })
  const ended = new Promise((resolve) => swapping.once('exit', resolve))
  await new Promise((resolve) => swapping.once('online', resolve))
  for (let n = 0; n < 5_000; n += 1) {
    folder.reload({})
    expect(folder.values()).toEqual(['strict'])
    expect([...folder.unread()]).toEqual([])
  }
  Atomics.store(new Int32Array(stop), 0, 1)
  await ended
  await rm(root, { recursive: true })
})
