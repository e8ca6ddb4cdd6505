import { randomBytes } from 'node:crypto'
import { lstat, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { DomainError } from '#core/errors.ts'
import { type Account, type Binaries, canReach, chooseAccount, findBinaries, giveTo } from './postgres-account.ts'

const MAJOR = '18'

/** An initialised data directory with the facts for running a server on it. */
export interface Cluster {
  dataDir: string
  /** the data directory as the server names it */
  serverDir: string
  account: Account | undefined
  binaries: Binaries
  password: string
}

/** Finds the cluster in `home`, or creates it. A creation that was interrupted starts over. */
export async function openCluster(home: string): Promise<Cluster> {
  const dataDir = join(home, 'postgres')
  const account = await chooseAccount(dataDir)
  const binaries = await findBinaries(account)
  const serverDir = await nameForServer(home, dataDir, account)
  const password = await readPassword(home)
  const version = await readFile(join(dataDir, 'PG_VERSION'), 'utf8').catch(() => undefined)
  const cluster: Cluster = { dataDir, serverDir, account, binaries, password }
  if (version === undefined) await createCluster(cluster)
  else if (version.trim() !== MAJOR) {
    const message = `${dataDir} was written by PostgreSQL ${version.trim()}, and this is ${MAJOR}: move it away or upgrade it with pg_upgrade`
    throw new DomainError('dependency_unavailable', message)
  }
  return cluster
}

/**
 * The server's account cannot enter root's private home. Its working directory is entered before privileges are dropped, so on Linux
 * relative names reach its files.
 */
async function nameForServer(home: string, dataDir: string, account: Account | undefined): Promise<string> {
  if (await canReach(account, home)) return dataDir
  if (process.platform === 'linux') return '/proc/self/cwd'
  throw new DomainError(
    'dependency_unavailable',
    `PostgreSQL does not run as root, and its account cannot reach ${home}: choose another SVC_HOME`,
  )
}

async function createCluster({ dataDir, serverDir, account, binaries, password }: Cluster): Promise<void> {
  const unfinished = `${dataDir}.new`
  const scratch = await mkdtemp(join(tmpdir(), 'svc-initdb-'))
  try {
    await rm(unfinished, { recursive: true, force: true })
    await mkdir(unfinished, { mode: 0o700 })
    await giveTo(account, unfinished)
    const passwordFile = join(scratch, 'password')
    await writeFile(passwordFile, password, { mode: 0o600 })
    await giveTo(account, passwordFile)
    await giveTo(account, scratch)
    await execa(binaries.initdb, initdbArguments(serverDir === dataDir ? unfinished : serverDir, passwordFile), {
      ...account,
      cwd: unfinished,
    })
    await rename(unfinished, dataDir)
  } catch (cause) {
    throw new DomainError(
      'dependency_unavailable',
      `PostgreSQL could not create its data directory ${dataDir}: ${reason(cause)}`,
      {},
      { cause },
    )
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

function initdbArguments(dir: string, passwordFile: string): string[] {
  const locale = ['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C', '--encoding=UTF8']
  return ['-D', dir, '--username=postgres', `--pwfile=${passwordFile}`, '--auth=scram-sha-256', ...locale]
}

/** The superuser's password: random, made once, readable by the owner of `home` only. */
async function readPassword(home: string): Promise<string> {
  const file = join(home, 'postgres-password')
  const known = await readFile(file, 'utf8').catch(() => '')
  if (known.trim()) return known.trim()
  const password = randomBytes(24).toString('base64url')
  await writeFile(`${file}.new`, `${password}\n`, { mode: 0o600 })
  await rename(`${file}.new`, file)
  return password
}

/** Opens a directory for the Unix socket whose path is short enough (107 bytes); undefined when another user has it. */
export async function openSocketDir(cluster: Cluster, name: string): Promise<string | undefined> {
  const dir = join(tmpdir(), `svc-pg-${name}`)
  const ours = [cluster.account?.uid, process.getuid?.()]
  await mkdir(dir, { mode: 0o700 }).catch(() => undefined)
  const found = await lstat(dir).catch(() => undefined)
  if (!found?.isDirectory() || !ours.includes(found.uid) || (found.mode & 0o022) !== 0 || dir.length > 80)
    return undefined
  await giveTo(cluster.account, dir)
  return dir
}

function reason(cause: unknown): string {
  if (cause instanceof Error && 'stderr' in cause && typeof cause.stderr === 'string')
    return cause.stderr.trim().split('\n').at(-1) ?? cause.message
  return cause instanceof Error ? cause.message : String(cause)
}
