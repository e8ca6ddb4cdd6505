import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DomainError } from '#core/errors.ts'
import { isPortFree } from './free-port.ts'

/** Returns the owner url of the embedded database that runs on `home` now. Throws `dependency_unavailable` with advice on starting it. */
export async function runningDatabase(home: string): Promise<string> {
  const [password, port] = await Promise.all(
    ['postgres-password', 'postgres-port'].map((name) => readFile(join(home, name), 'utf8').catch(() => '')),
  )
  const number = Number(port?.trim())
  if (!password?.trim() || !(number > 0) || (await isPortFree(number))) {
    throw new DomainError(
      'dependency_unavailable',
      `no database runs on ${home}: start the service with \`npm start\` in another terminal, or name a database with DATABASE_URL`,
    )
  }
  return `postgres://postgres:${encodeURIComponent(password.trim())}@127.0.0.1:${number}/svc`
}
