import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { ApiClient } from '../api-client.ts'

const MAIN = fileURLToPath(new URL('../main.ts', import.meta.url))
const READY_WITHIN_MS = 300_000

/** Uses the service that runs, or starts one for the length of the demo; then it answers how to stop that one. */
export async function ensureService(
  api: ApiClient,
  say: (text: string) => void,
): Promise<(() => Promise<void>) | undefined> {
  if (await healthy(api)) return undefined
  say(`Nothing answers on ${api.url}: starting the service for the length of this demo.`)
  const child = spawn(process.execPath, ['--import', 'tsx', MAIN, 'start'], {
    stdio: ['ignore', 'ignore', 'inherit'],
    detached: true,
  })
  await waitUntilHealthy(api, child)
  return async () => {
    child.kill('SIGTERM')
    if (child.exitCode === null) await once(child, 'exit')
  }
}

async function waitUntilHealthy(api: ApiClient, child: ChildProcess): Promise<void> {
  const deadline = Date.now() + READY_WITHIN_MS
  while (!(await healthy(api))) {
    if (child.exitCode !== null) throw new Error('the service ended while it was starting; `npm start` shows why')
    if (Date.now() > deadline) throw new Error('the service did not become healthy in time; `npm start` shows why')
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}

async function healthy(api: ApiClient): Promise<boolean> {
  return await api.health().then(
    ({ status }) => status === 'ok',
    () => false,
  )
}
