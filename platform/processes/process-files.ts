import { createHash } from 'node:crypto'
import { constants, createReadStream } from 'node:fs'
import { access, lstat, readFile, realpath } from 'node:fs/promises'
import { dirname } from 'node:path'
import { pipeline } from 'node:stream/promises'

/** A file or a user that is not as it must be, in a sentence. */
export class ProcessRefusal extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'ProcessRefusal'
  }
}

const EXECUTABLE = 0o111
const FOR_ANOTHER_USER = 0o6000
const WRITABLE_BY_OTHERS = 0o022
const STICKY = 0o1000

/** Returns the SHA-256 of a program that only the machine's owner or this user can change. Throws ProcessRefusal. */
export async function programDigest(path: string): Promise<string> {
  const real = await realpath(path).catch(() => undefined)
  if (real === undefined) throw new ProcessRefusal(`${path} is not there`)
  if (real !== path) throw new ProcessRefusal(`${path} is a link, or behind one: name ${real} itself`)
  const file = await lstat(path)
  if (!file.isFile()) throw new ProcessRefusal(`${path} is not a file`)
  if ((file.mode & EXECUTABLE) === 0) throw new ProcessRefusal(`${path} is not executable`)
  if ((file.mode & FOR_ANOTHER_USER) !== 0) throw new ProcessRefusal(`${path} would run as another user (setuid)`)
  await mustBeKept(path)
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}

/** Neither the file nor a folder above it may be anybody's to replace. */
async function mustBeKept(path: string): Promise<void> {
  const stats = await lstat(path)
  const { mode, uid } = stats
  if (uid !== 0 && uid !== process.getuid?.())
    throw new ProcessRefusal(`${path} belongs to another user than root and the one of this worker`)
  // in such a folder nobody replaces what is another's; of a file it says nothing
  const shared = stats.isDirectory() && (mode & STICKY) !== 0
  if ((mode & WRITABLE_BY_OTHERS) !== 0 && !shared)
    throw new ProcessRefusal(`${path} may be changed by other users (mode ${(mode & 0o7777).toString(8)})`)
  if (path !== '/') await mustBeKept(dirname(path))
}

export type ProcessOwner = { uid: number; gid: number }

/** Returns the user to change to; undefined for the worker's own. Throws ProcessRefusal. */
export async function ownerOf(user: string | undefined): Promise<ProcessOwner | undefined> {
  const own = process.getuid?.()
  if (user === undefined) {
    if (own === 0) throw new ProcessRefusal('the worker is root, so the entry has to say as which user it runs')
    return undefined
  }
  const lines = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'))
  const [, , uid, gid] = lines.find(([name]) => name === user) ?? []
  if (uid === undefined || gid === undefined) throw new ProcessRefusal(`this machine has no user ${user}`)
  if (Number(uid) === own) return undefined
  if (own !== 0) throw new ProcessRefusal(`only a worker that is root can run it as ${user}, and this one is not`)
  return { uid: Number(uid), gid: Number(gid) }
}

const PRLIMIT = ['/usr/bin/prlimit', '/bin/prlimit']

/** Returns the program that sets limits; undefined where there is none, as on other systems than Linux. */
export async function findPrlimit(): Promise<string | undefined> {
  if (process.platform !== 'linux') return undefined
  for (const path of PRLIMIT) {
    const found = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    )
    if (found) return path
  }
  return undefined
}
