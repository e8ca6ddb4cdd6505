import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, constants, createWriteStream } from 'node:fs'
import { delimiter, join } from 'node:path'

const APT = 'apt-get install -y --no-install-recommends prometheus prometheus-alertmanager'
const READY_WITHIN_MS = 30_000

export interface Neighbour {
  url: string
  stop(): Promise<void>
}

/** Refuses with the line that installs them when a program of the lab is not on the PATH. */
export function requirePrograms(names: readonly string[], path = process.env['PATH'] ?? ''): void {
  const missing = names.filter((name) => !path.split(delimiter).some((folder) => isProgram(join(folder, name))))
  if (missing.length > 0) throw new Error(`The lab needs ${missing.join(' and ')}. On Debian or Ubuntu:\n\n  ${APT}\n`)
}

/** Starts a server of another project and waits for its `/-/ready`; its output goes to `<program>.log` in `dir`. */
export async function startNeighbour(options: {
  program: string
  args: string[]
  dir: string
  url: string
}): Promise<Neighbour> {
  const { program, args, dir, url } = options
  const child = spawn(program, args, { cwd: dir, stdio: ['ignore', 'pipe', 'pipe'] })
  const log = createWriteStream(join(dir, `${program}.log`))
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output = `${output}${chunk}`.slice(-4_000)
      log.write(chunk)
    })
  }
  const ended = once(child, 'close').then(() => log.end())
  const stop = async () => {
    child.kill('SIGTERM')
    await ended
  }
  if (await isReady(child, url)) return { url, stop }
  await stop()
  throw new Error(`${program} did not become ready on ${url}:\n${output}`)
}

async function isReady(child: ChildProcess, url: string): Promise<boolean> {
  const deadline = Date.now() + READY_WITHIN_MS
  while (child.exitCode === null && child.signalCode === null && Date.now() < deadline) {
    const response = await fetch(`${url}/-/ready`).catch(() => undefined)
    if (response?.ok) return true
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return false
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
