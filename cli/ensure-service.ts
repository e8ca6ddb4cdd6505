import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { DomainError } from '#core/errors.ts'
import { programArgs } from '#platform/program/program-args.ts'
import type { ApiClient } from './client/api-client.ts'
import { ApiProblem } from './client/api-problem.ts'
import type { CliDeps } from './deps.ts'

const READY_WITHIN_MS = 300_000
/** exit code of a command that SIGINT ended */
const INTERRUPTED = 130

/** Uses the service that runs, or starts one for the length of the command; then it answers how to stop that one. */
export async function ensureService(
  api: ApiClient,
  { err, exit }: Pick<CliDeps, 'err' | 'exit'>,
): Promise<(() => Promise<void>) | undefined> {
  const found = await healthOf(api)
  if (found === 'ok') return undefined
  if (found === 'ill')
    throw new DomainError('dependency_unavailable', `the service on ${api.url} answers, but it is not healthy`)
  err(`Nothing answers on ${api.url}: starting the service for the length of this command.`)
  const child = spawn(process.execPath, programArgs('cli/main.ts', 'start'), {
    stdio: ['ignore', 'ignore', 'inherit'],
    detached: true,
  })
  const stop = async () => {
    child.kill('SIGTERM')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  }
  // a terminal sends Ctrl-C to its own group only, and the service leads another one
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void stop().then(() => exit(INTERRUPTED)))
  await waitUntilHealthy(api, child).catch(async (error: unknown) => {
    await stop()
    throw error
  })
  return stop
}

async function waitUntilHealthy(api: ApiClient, child: ChildProcess): Promise<void> {
  const deadline = Date.now() + READY_WITHIN_MS
  const gaveUp = (why: string) =>
    new DomainError('dependency_unavailable', `the service ${why}; \`npm start\` shows why`)
  while ((await healthOf(api)) !== 'ok') {
    if (child.exitCode !== null) throw gaveUp('ended while it was starting')
    if (Date.now() > deadline) throw gaveUp('did not become healthy in time')
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}

async function healthOf(api: ApiClient): Promise<'ok' | 'ill' | 'away'> {
  try {
    return (await api.health()).status === 'ok' ? 'ok' : 'ill'
  } catch (error) {
    return error instanceof ApiProblem ? 'ill' : 'away'
  }
}
