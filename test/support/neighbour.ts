import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { basename, join } from 'node:path'
import type { Program } from './programs/program.ts'

const READY_WITHIN_MS = 30_000

export interface Neighbour {
  url: string
  stop(): Promise<void>
}

/** Starts a server of another project and waits for its `/-/ready`; its output goes to a log of its name in `dir`. */
export async function startNeighbour(options: {
  program: Program
  args: string[]
  dir: string
  url: string
  /** false for a server without `/-/ready`: any answer will do */
  has_ready?: boolean
}): Promise<Neighbour> {
  const { program, args, dir, url, has_ready = true } = options
  const name = basename(program.command)
  const env = { ...process.env, ...program.env }
  const child = spawn(program.command, [...(program.args ?? []), ...args], {
    cwd: dir,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const log = createWriteStream(join(dir, `${name}.log`))
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
  if (await isReady(child, url, has_ready)) return { url, stop }
  await stop()
  throw new Error(`${name} did not become ready on ${url}:\n${output}`)
}

async function isReady(child: ChildProcess, url: string, has_ready: boolean): Promise<boolean> {
  const deadline = Date.now() + READY_WITHIN_MS
  while (child.exitCode === null && child.signalCode === null && Date.now() < deadline) {
    const response = await fetch(`${url}/-/ready`).catch(() => undefined)
    if (response?.ok || (response !== undefined && !has_ready)) return true
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return false
}
