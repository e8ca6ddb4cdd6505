import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { mkdir, open, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { connect, createServer, type ListenOptions } from 'node:net'
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
  const letGo = process.platform === 'linux' ? await takeSockets(home) : await takeFile(home)
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

/** The name orders the processes of one system; other containers, which have names of their own, share only the files. */
async function takeSockets(home: string): Promise<LetGo | undefined> {
  const releaseName = await takeName(home)
  if (releaseName === undefined) return undefined
  const releaseSocket = await takeSocket(home)
  if (releaseSocket === undefined) await releaseName()
  return releaseSocket && (() => Promise.all([releaseSocket(), releaseName()]))
}

/** A socket in Linux's abstract namespace is a name without a file: two cannot have it, and no dead process keeps it. */
async function takeName(home: string): Promise<LetGo | undefined> {
  const { dev, ino } = await stat(home, { bigint: true })
  return await listen({ path: `\0svc-home-${dev}-${ino}`, exclusive: true }).catch((error) => {
    if (hasCode(error, 'EADDRINUSE')) return undefined
    throw error
  })
}

const SOCKET = /^svc-[0-9a-f]{16}\.sock$/

/** Opens a socket of its own before it connects to those of the others: of two that start at once, at least one reaches the other. */
async function takeSocket(home: string): Promise<LetGo | undefined> {
  const directory = await open(home)
  // the path of a socket has 107 bytes at most
  const pathOf = (name: string) => `/proc/self/fd/${directory.fd}/${name}`
  const own = `svc-${randomBytes(8).toString('hex')}.sock`
  const close = await listen({ path: pathOf(own) }).catch((error) => {
    // a folder that a virtual machine shares keeps no sockets
    if (['ENOTSUP', 'EOPNOTSUPP', 'EPERM'].some((code) => hasCode(error, code))) return async () => undefined
    throw error
  })
  const letGo = async () => {
    await close()
    await directory.close()
  }
  const others = (await readdir(home)).filter((name) => SOCKET.test(name) && name !== own)
  for (const name of others) {
    if (await isOpen(pathOf(name))) {
      await letGo()
      return undefined
    }
    await rm(join(home, name), { force: true })
  }
  return letGo
}

/** Tells whether a process listens there; only the kernel's refusal is a no. */
function isOpen(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path)
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', (error) => resolve(!hasCode(error, 'ECONNREFUSED') && !hasCode(error, 'ENOENT')))
  })
}

function listen(options: ListenOptions): Promise<LetGo> {
  const server = createServer((stranger) => stranger.destroy())
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(options, () => {
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
