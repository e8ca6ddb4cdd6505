import { mkdtemp, readdir, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { createCredentials } from '#cli/client/credentials.ts'

const URL_A = 'http://127.0.0.1:9090'
const URL_B = 'https://svc.example.test'
const token = (access_token: string, in_ms = 60_000) => ({
  access_token,
  email: 'a@example.test',
  expires_at: new Date(Date.now() + in_ms).toISOString(),
})

async function newFile(): Promise<string> {
  return join(await mkdtemp(join(tmpdir(), 'svc-credentials-')), 'svc', 'credentials.json')
}

test('keeps one token for each API, readable by its owner alone', async () => {
  const path = await newFile()
  const credentials = createCredentials(path)
  expect(await credentials.find(URL_A)).toBeUndefined()
  await credentials.keep(URL_A, token('one'))
  await credentials.keep(URL_B, token('two'))
  await credentials.keep(URL_A, token('three'))
  expect((await credentials.find(URL_A))?.access_token).toBe('three')
  expect((await credentials.find(URL_B))?.access_token).toBe('two')
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  expect((await stat(dirname(path))).mode & 0o777).toBe(0o700)
  expect(await readdir(dirname(path))).toEqual(['credentials.json'])
})

test('forgets one and leaves the others', async () => {
  const credentials = createCredentials(await newFile())
  await credentials.keep(URL_A, token('one'))
  await credentials.keep(URL_B, token('two'))
  expect(await credentials.forget(URL_A)).toBe(true)
  expect(await credentials.forget(URL_A)).toBe(false)
  expect(await credentials.find(URL_A)).toBeUndefined()
  expect((await credentials.find(URL_B))?.access_token).toBe('two')
})

test('a token that has expired is none', async () => {
  const credentials = createCredentials(await newFile())
  await credentials.keep(URL_A, token('old', -1))
  expect(await credentials.find(URL_A)).toBeUndefined()
})

test('a file that is something else is named, not overwritten', async () => {
  const path = join(await mkdtemp(join(tmpdir(), 'svc-credentials-')), 'credentials.json')
  await writeFile(path, '{"a": 1}')
  await expect(createCredentials(path).keep(URL_A, token('one'))).rejects.toThrow(path)
})

test('an expired token is not used, and is still known to have been there', async () => {
  const credentials = createCredentials(await newFile())
  await credentials.keep(URL_A, token('one', -1))
  expect(await credentials.find(URL_A)).toBeUndefined()
  expect(await credentials.last(URL_A)).toMatchObject({ access_token: 'one', email: 'a@example.test' })
  expect(await credentials.last(URL_B)).toBeUndefined()
})
