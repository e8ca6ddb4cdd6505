import { type ChildProcess, spawn } from 'node:child_process'
import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Config } from '#platform/config.ts'
import { type Written, writeNew, writeWorker } from '../new/write-new.ts'

/** The name of its environment and of its pack. */
export const EXAMPLE = 'my-worker'

/** Writes the worker, its key, an environment that binds its queue and a pack with a step for it; what is there stays as it is. */
export function writeExampleWorker({ home, packsDir }: Pick<Config, 'home' | 'packsDir'>): Written {
  const folder = join(home, 'worker')
  const written = writeWorker({ worker: folder, pack: join(packsDir, EXAMPLE) })
  const own = (file: string, text: string, mode?: number) =>
    written[writeNew(file, text, mode) ? 'made' : 'kept'].push(file)
  const key = join(folder, 'worker.pem')
  own(key, generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(), 0o600)
  own(join(home, 'environments', `${EXAMPLE}.yaml`), environmentText(readFileSync(key, 'utf8')))
  // the packages of this program, until the folder has its own
  const packages = join(folder, 'node_modules')
  if (!existsSync(packages)) symlinkSync(fileURLToPath(new URL('../../node_modules', import.meta.url)), packages)
  return written
}

function environmentText(pem: string): string {
  const attest = createPublicKey(pem).export({ format: 'der', type: 'spki' }).toString('base64')
  return `# Where the worker in ../worker does steps: docs/own-worker.md. Its results have to be signed with its key.
name: ${EXAMPLE}
class: development
queues:
  hello: { task_queue: hello, attest: ${attest} }
`
}

/** Starts the worker beside a service on this machine. It ends with this process. */
export function startExampleWorker({ home, temporal }: Pick<Config, 'home' | 'temporal'>): ChildProcess {
  const { address = `127.0.0.1:${temporal.port}`, namespace } = temporal
  const folder = join(home, 'worker')
  writeFileSync(join(folder, '.env'), `TEMPORAL_ADDRESS=${address}\nTEMPORAL_NAMESPACE=${namespace}\n`)
  const worker = spawn(process.execPath, ['--env-file=.env', '--import', 'tsx', 'worker.ts'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  process.once('exit', () => worker.kill())
  return worker
}
