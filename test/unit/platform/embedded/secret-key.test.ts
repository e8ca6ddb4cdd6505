import { mkdtemp, readFile, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { settleSecretKey } from '#platform/embedded/secret-key.ts'

const newHome = () => mkdtemp(join(tmpdir(), 'svc-key-'))

test('makes 32 random bytes once, readable by the owner alone', async () => {
  const home = await newHome()
  const key = await settleSecretKey(home, undefined)
  expect(Buffer.from(key, 'base64url')).toHaveLength(32)
  expect(await settleSecretKey(home, undefined)).toBe(key)
  expect((await readFile(join(home, 'secret.key'), 'utf8')).trim()).toBe(key)
  expect((await stat(join(home, 'secret.key'))).mode & 0o777).toBe(0o600)
  expect(await settleSecretKey(await newHome(), undefined)).not.toBe(key)
})

test('takes the key that is given when there is none yet, and writes nothing', async () => {
  const home = await newHome()
  expect(await settleSecretKey(home, 'k'.repeat(32))).toBe('k'.repeat(32))
  await expect(stat(join(home, 'secret.key'))).rejects.toThrow('ENOENT')
})

test('an installation keeps the key that it began with when authentication is turned on', async () => {
  const home = await newHome()
  await writeFile(join(home, 'secret.key'), 'first\n')
  expect(await settleSecretKey(home, 'k'.repeat(32))).toBe('first')
})
