import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import lockfile from 'proper-lockfile'
import { DomainError } from '#core/errors.ts'
import { isAlive } from './processes.ts'

/** Takes the data directory for this process and returns its release; refuses while a living process holds it. */
export async function lockHome(home: string): Promise<() => Promise<void>> {
  await mkdir(home, { recursive: true, mode: 0o700 })
  const lock = join(home, 'svc.lock')
  const pidFile = join(home, 'svc.pid')
  const take = () => lockfile.lock(home, { lockfilePath: lock, realpath: false, stale: 30_000, update: 5_000 })
  const release = await take().catch(async (error: unknown) => {
    if (!isHeld(error)) throw error
    const pid = Number(await readFile(pidFile, 'utf8').catch(() => ''))
    if (!(pid > 0) || isAlive(pid))
      throw new DomainError(
        'conflict',
        `another svc${pid > 0 ? ` (process ${pid})` : ''} runs on ${home}; stop it, or choose another SVC_HOME`,
      )
    await rm(lock, { recursive: true, force: true })
    return take()
  })
  await writeFile(pidFile, `${process.pid}\n`)
  return async () => {
    await rm(pidFile, { force: true })
    await release()
  }
}

function isHeld(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ELOCKED'
}
