import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { vi } from 'vitest'
import { freePort } from './free-ports.ts'
import { PATIENCE } from './patience.ts'
import type { Program } from './programs/program.ts'

/** A store of secrets that a test reads and writes beside what it tests. */
export interface OpenSecretStore {
  /** of a connection */
  url: string
  stop(): Promise<void>
}

/** OpenBao in memory, unsealed, with key-value secrets of version 2 at `secret`. */
export async function openBao({ command, env }: Program, token: string): Promise<OpenSecretStore> {
  const port = await freePort()
  const listens = [`-dev-root-token-id=${token}`, `-dev-listen-address=127.0.0.1:${port}`, '-dev-no-store-token']
  const child = spawn(command, ['server', '-dev', ...listens], { env: { ...process.env, ...env }, stdio: 'ignore' })
  const store = {
    url: `http://:${token}@127.0.0.1:${port}/v1/`,
    async stop() {
      child.kill('SIGTERM')
      await once(child, 'exit')
    },
  }
  await vi.waitFor(() => currentSecret(store.url, 'not/there'), PATIENCE)
  return store
}

/** The secret of a path as the API tells it. */
export async function currentSecret(
  url: string,
  path: string,
): Promise<{ version: number; data?: Record<string, unknown> }> {
  const { status, body } = await send(url, path)
  if (status === 404 && body.errors?.length === 0) return { version: 0 }
  if (body.data?.data === undefined) throw new Error(`${status} ${JSON.stringify(body)}`)
  return { version: body.data.metadata.version, data: body.data.data }
}

export async function putSecret(url: string, path: string, data: Record<string, unknown>): Promise<void> {
  const { status, body } = await send(url, path, { data })
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`)
}

async function send(url: string, path: string, body?: object) {
  const { origin, pathname, password } = new URL(url)
  const response = await fetch(`${origin}${pathname}secret/data/${path}`, {
    headers: { authorization: `Bearer ${password}` },
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
  })
  const answer = (await response.json()) as {
    errors?: string[]
    data?: { data?: Record<string, unknown>; metadata: { version: number } }
  }
  return { status: response.status, body: answer }
}
