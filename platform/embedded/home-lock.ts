import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import lockfile from 'proper-lockfile'
import { DomainError } from '#core/errors.ts'
import { isAlive } from './processes.ts'

export interface HomeLock {
  /** true when the last holder died without letting go: its children may still be leaving */
  recovered: boolean
  release(): Promise<void>
}

/** Takes the data directory for this process; refuses while a living process holds it. */
export async function lockHome(home: string, onLost: (error: Error) => void): Promise<HomeLock> {
  await mkdir(home, { recursive: true, mode: 0o700 })
  const lockfilePath = join(home, 'svc.lock')
  const pidFile = join(home, 'svc.pid')
  const take = () =>
    lockfile.lock(home, { lockfilePath, realpath: false, stale: 30_000, update: 5_000, onCompromised: onLost })
  const holder = Number(await readFile(pidFile, 'utf8').catch(() => ''))
  const release = await take().catch(async (error: unknown) => {
    if (!isHeld(error)) throw error
    if (!(holder > 0) || isAlive(holder)) throw refusal(home, holder)
    // its process is gone, so there is no need to wait until the lock looks old
    await rm(lockfilePath, { recursive: true, force: true })
    return take()
  })
  await writeFile(pidFile, `${process.pid}\n`)
  return {
    recovered: holder > 0,
    async release() {
      await rm(pidFile, { force: true })
      await release()
    },
  }
}

function refusal(home: string, holder: number): DomainError {
  const who = holder > 0 ? ` (process ${holder})` : ''
  return new DomainError('conflict', `another svc${who} runs on ${home}: stop it, or choose another SVC_HOME`)
}

function isHeld(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ELOCKED'
}
