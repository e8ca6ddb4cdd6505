import { readFileSync } from 'node:fs'
import { userInfo } from 'node:os'

const PASSWD = '/etc/passwd'

/** Who owns a file, with the name that this machine has for the number. */
export function fileOwner(uid: number): { uid: number; name?: string } {
  const name = ownName(uid) ?? listedName(uid)
  return name === undefined ? { uid } : { uid, name }
}

function ownName(uid: number): string | undefined {
  try {
    const own = userInfo()
    return own.uid === uid ? own.username : undefined
  } catch {
    return undefined
  }
}

function listedName(uid: number): string | undefined {
  try {
    const entries = readFileSync(PASSWD, 'utf8').split('\n')
    return entries.map((entry) => entry.split(':')).find((fields) => fields[2] === String(uid))?.[0]
  } catch {
    return undefined
  }
}
