import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { NO_POLICY_FILES, readPolicyFiles } from '#platform/policies/policy-files.ts'

test('a directory that is replaced while it is read loses no policy, and no file of it is called unreadable', async () => {
  const root = await mkdtemp(join(tmpdir(), 'policies-'))
  const directory = join(root, 'current')
  const pointTo = async (target: string) => {
    await symlink(join(root, target), join(root, 'next'))
    await rename(join(root, 'next'), directory)
  }
  await mkdir(join(root, 'real'))
  await writeFile(join(root, 'real', 'guard.yaml'), '- { name: guard, rules: [{ effect: deny }] }\n')
  await writeFile(join(root, 'file'), '')
  await pointTo('real')
  let { found } = await readPolicyFiles(directory, NO_POLICY_FILES, { as_it_is: true })
  let isOver = false
  const replaced = (async () => {
    for (let n = 0; !isOver; n += 1) await pointTo(n % 2 === 0 ? 'file' : 'real')
  })()
  for (let n = 0; n < 2_000; n += 1) {
    const read = await readPolicyFiles(directory, found)
    expect(read.found.layer.policies.map(({ name }) => name)).toEqual(['guard'])
    expect(read.found.layer.broken.map(({ source }) => source)).not.toContain('guard.yaml')
    found = read.found
  }
  isOver = true
  await replaced
  await rm(root, { recursive: true })
})
