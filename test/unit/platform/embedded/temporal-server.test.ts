import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { resolveTemporalServer } from '#platform/embedded/temporal-server.ts'

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'svc-cache-'))
  vi.stubEnv('PATH', directory)
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await rm(directory, { recursive: true, force: true })
})

test('a cache in which nothing can be locked is said at once, and not waited for', async () => {
  // the longest name that there can be leaves no room for that of its lock
  const cacheDir = join(directory, 'c'.repeat(255))
  await expect(resolveTemporalServer({ cli: undefined, cacheDir, onProgress: () => undefined })).rejects.toThrow(
    /the cache .* cannot be locked: .*ENAMETOOLONG/,
  )
})
