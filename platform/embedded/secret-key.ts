import { randomBytes } from 'node:crypto'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const FILE = 'secret.key'

/**
 * The installation's master key, which it keeps for life because links and sealed inputs hang on it: the one in
 * `secret.key`, else `given`, else 32 random bytes that are kept there from now on, readable by the owner of `home` only.
 */
export async function settleSecretKey(home: string, given: string | undefined): Promise<string> {
  const file = join(home, FILE)
  const known = (await readSecretKey(home)) ?? given
  if (known !== undefined) return known
  const made = randomBytes(32).toString('base64url')
  await writeFile(`${file}.new`, `${made}\n`, { mode: 0o600 })
  await rename(`${file}.new`, file)
  return made
}

/** The key that the installation in `home` has made for itself; undefined when it has none. */
export async function readSecretKey(home: string): Promise<string | undefined> {
  const text = await readFile(join(home, FILE), 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return ''
    throw error
  })
  return text.trim() || undefined
}
