import { constants } from 'node:fs'
import { mkdir, open, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { DomainError } from '#core/errors.ts'
import { isRunning } from './processes.ts'

/** BSD and macOS: `open` takes a lock that ends with the file descriptor. */
const O_EXLOCK = 0x20

export interface HomeLock {
  /** true when the last holder died without letting go: its children may still be leaving */
  recovered: boolean
  release(): Promise<void>
}

/**
 * Takes the data directory for this process; refuses while another holds it. The kernel keeps the lock, so it ends with
 * its process, however that ends; `svc.pid` only tells people who has it.
 */
export async function lockHome(home: string): Promise<HomeLock> {
  await mkdir(home, { recursive: true, mode: 0o700 })
  const pidFile = join(home, 'svc.pid')
  const letGo = process.platform === 'linux' ? await takeName(home) : await takeFile(home)
  const last = Number(await readFile(pidFile, 'utf8').catch(() => ''))
  if (letGo === undefined) {
    const who = last > 0 && (await isRunning(last)) ? ` (process ${last})` : ''
    throw new DomainError('conflict', `another svc${who} runs on ${home}: stop it, or choose another SVC_HOME`)
  }
  await writeFile(pidFile, `${process.pid}\n`)
  return {
    recovered: last > 0,
    async release() {
      await rm(pidFile, { force: true })
      await letGo()
    },
  }
}

type LetGo = () => Promise<unknown>

/** A socket in Linux's abstract namespace is a name without a file: two cannot have it, and no dead process keeps it. */
async function takeName(home: string): Promise<LetGo | undefined> {
  const { dev, ino } = await stat(home)
  const server = createServer((stranger) => stranger.destroy())
  return new Promise((resolve, reject) => {
    server.once('error', (error) => (hasCode(error, 'EADDRINUSE') ? resolve(undefined) : reject(error)))
    server.listen({ path: `\0svc-home-${dev}-${ino}`, exclusive: true }, () => {
      server.unref()
      resolve(() => new Promise((released) => server.close(released)))
    })
  })
}

async function takeFile(home: string): Promise<LetGo | undefined> {
  const flags = constants.O_RDWR | constants.O_CREAT | constants.O_NONBLOCK | O_EXLOCK
  try {
    const file = await open(join(home, 'svc.flock'), flags, 0o600)
    return () => file.close()
  } catch (error) {
    if (hasCode(error, 'EAGAIN')) return undefined
    throw error
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
