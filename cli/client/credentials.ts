import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { z } from 'zod'
import { DomainError } from '#core/errors.ts'

const keptSchema = z.object({
  access_token: z.string(),
  email: z.string(),
  /** RFC 3339 */
  expires_at: z.iso.datetime(),
})
const fileSchema = z.record(z.string(), keptSchema)

export type KeptToken = z.infer<typeof keptSchema>

/** Tokens by the url of their API, in a file that only its owner can read. */
export interface Credentials {
  /** the token for an API, unless it has expired */
  find(url: string): Promise<KeptToken | undefined>
  /** the last token for an API, expired or not */
  last(url: string): Promise<KeptToken | undefined>
  keep(url: string, token: KeptToken): Promise<void>
  /** false when there was none */
  forget(url: string): Promise<boolean>
}

/** Opens the file at `path`; it is written when the first token is kept. */
export function createCredentials(path: string): Credentials {
  return {
    async find(url) {
      const kept = (await read(path))[url]
      return kept !== undefined && Date.parse(kept.expires_at) > Date.now() ? kept : undefined
    },
    async last(url) {
      return (await read(path))[url]
    },
    async keep(url, token) {
      await write(path, { ...(await read(path)), [url]: token })
    },
    async forget(url) {
      const { [url]: kept, ...others } = await read(path)
      if (kept !== undefined) await write(path, others)
      return kept !== undefined
    },
  }
}

async function read(path: string): Promise<Record<string, KeptToken>> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '{}'
    throw error
  })
  const parsed = fileSchema.safeParse(parse(text))
  if (parsed.success) return parsed.data
  throw new DomainError('conflict', `${path} is not what \`svc login\` wrote: remove it and log in again`)
}

/** A rename replaces the file whole, and the new one was never readable by anybody else. */
async function write(path: string, tokens: Record<string, KeptToken>): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const unfinished = `${path}.${process.pid}`
  await writeFile(unfinished, `${JSON.stringify(tokens, null, 2)}\n`, { mode: 0o600, flag: 'wx' })
  await rename(unfinished, path)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
