import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { RunBody } from './recovery.ts'
import { startTestService, type TestService } from './service.ts'

/** Packs whose templates have one effect that can be counted. */
export const CRASH_PACKS = fileURLToPath(new URL('../packs/effects', import.meta.url))

export interface CrashServiceOptions {
  postgres_url: string
  temporal_address: string
  env?: Record<string, string>
  workers?: number
  api?: boolean
  /** url behind the connection `target` of the development environment */
  target_url?: string
}

/** The real service with the crash templates; by default without a worker, so that a test brings one that dies. */
export async function startCrashService(options: CrashServiceOptions): Promise<TestService> {
  const { target_url, env, workers = 0, ...servers } = options
  const service = await startTestService({
    ...servers,
    workers,
    env: { ...env, SVC_PACKS_DIR: CRASH_PACKS, ...(target_url !== undefined && { TARGET_URL: target_url }) },
  })
  if (target_url !== undefined) {
    await mkdir(join(service.home, 'environments'), { recursive: true })
    const connection = 'target: { kind: postgres, url: "env:TARGET_URL" }'
    await writeFile(
      join(service.home, 'environments', 'development.yaml'),
      `name: development\nconnections:\n  ${connection}\n`,
    )
  }
  return service
}

/** Starts a run of a crash template and answers with its id. */
export async function startCrashRun(
  service: Pick<TestService, 'call'>,
  template: string,
  inputs: Record<string, unknown>,
): Promise<string> {
  const { status, body } = await service.call<RunBody>('POST', `/packs/crash/${template}/run`, { inputs })
  if (status !== 202) throw new Error(`no run: ${status} ${JSON.stringify(body)}`)
  return body.id
}

/** Kills a process as a power cut would and waits until it is gone. */
export async function killHard(child: ChildProcess): Promise<void> {
  const gone = exitSignal(child)
  child.kill('SIGKILL')
  await gone
}

/** The signal that ended a process, null when it left by itself. */
export async function exitSignal(child: ChildProcess): Promise<NodeJS.Signals | null> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  return child.signalCode
}
