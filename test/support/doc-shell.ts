import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, vi } from 'vitest'
import { readDocPage } from './doc-blocks.ts'
import { freePort } from './free-ports.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
/** Ports of the pages: those of the API, the demo service, the scripted models and the receiver of webhooks. */
const PORTS = ['9090', '8080', '9191', '9192']
const TERMINAL = '# a terminal of its own\n'
/** What processes rightly report on a machine that stands still for seconds, also in the middle of the files that a page writes. */
const SLOW_MACHINE = /the workflow engine does not answer|The start waits|pack\.yaml: the file is missing/
const READY = /http:\/\/127\.0\.0\.1:\d+/

export interface Terminal {
  child: ChildProcess
  output: string
}

export interface DocShell {
  /** an empty home directory */
  home: string
  terminals: Terminal[]
  /** Runs the commands of a page in its order; `act` does what a person does at a note. Answers what was printed. */
  follow(
    page: string,
    how?: { act?: (note: string) => Promise<void>; change?: (block: string) => string },
  ): Promise<string>
  /** the warnings and errors in the logs of the service */
  reported(): Promise<string[]>
  stop(): Promise<void>
}

/** Follows pages of `docs` as a reader does: in one shell where variables stay, with terminals beside it, on ports that are free. */
export async function startDocShell(): Promise<DocShell> {
  const home = await mkdtemp(join(tmpdir(), 'svc-docs-'))
  const ports = new Map<string, string>()
  for (const port of PORTS) ports.set(port, String(await freePort()))
  const of = (port: string) => ports.get(port) ?? ''
  const env = {
    ...{ PATH: process.env['PATH'] ?? '', HOME: home, NO_COLOR: '1' },
    // what is fetched or built once is there already
    XDG_CACHE_HOME: process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'),
    ...(process.env['SVC_TEMPORAL_CLI'] && { SVC_TEMPORAL_CLI: process.env['SVC_TEMPORAL_CLI'] }),
    ...{ SVC_PORT: of('9090'), SVC_TEMPORAL_PORT: String(await freePort()) },
  }
  const terminals: Terminal[] = []

  /** The commands of the page, with ports that are free here, and the places where a person does something. */
  function stepsOf(page: string): { block?: string; note?: string }[] {
    const found = page.matchAll(/^```sh\n([\s\S]*?)^```|^<!-- test: (.*) -->$/gm)
    return Array.from(found, ([, block, note]) => (note === undefined ? { block: withPorts(block ?? '') } : { note }))
  }

  function withPorts(block: string): string {
    return (
      block
        .replaceAll(/\b(9090|8080|919[12])\b/g, (port) => of(port))
        .replace(/cli\/demo\/demo-server\.ts$/m, (program) => `${program} ${of('8080')}`)
        .replace(/svc dev model-server$/m, (command) => `${command} --port ${of('9191')}`)
        .replace(/svc dev webhook-server$/m, (command) => `${command} --port ${of('9192')}`)
        // the tests run on what it has installed
        .replace(/^npm ci$/m, '')
    )
  }

  function open(...args: string[]): Terminal {
    const child = spawn('bash', ['--norc', '-e', ...args], { cwd: ROOT, env, detached: true })
    const terminal: Terminal = { child, output: '' }
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => {
        terminal.output += String(chunk)
      })
    terminals.push(terminal)
    return terminal
  }

  return {
    home,
    terminals,
    async follow(page, { act, change = (block: string) => block } = {}) {
      const shell = open('-s')
      for (const { block, note } of stepsOf(readDocPage(page))) {
        if (block === undefined) await act?.(note ?? '')
        else if (block.startsWith(TERMINAL)) {
          const terminal = open('-c', change(block))
          await vi.waitFor(() => expect(terminal.output).toMatch(READY), { timeout: 180_000, interval: 200 })
        } else await runIn(shell, change(block))
      }
      return shell.output
    },
    async reported() {
      const logs = ['api', 'worker'].map((name) => readFile(join(home, `.svc/logs/${name}.log`), 'utf8'))
      return (await Promise.all(logs))
        .flatMap((log) => log.split('\n'))
        .filter((line) => /"level":[4-6]0/.test(line) && !SLOW_MACHINE.test(line))
    },
    async stop() {
      for (const { child } of terminals.reverse()) {
        if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) continue
        const ended = once(child, 'exit')
        process.kill(-child.pid, 'SIGTERM')
        await ended
      }
      await rm(home, { recursive: true, force: true, maxRetries: 10 })
    },
  }
}

/** Runs a block in the one shell of the reader, where variables stay. */
async function runIn(shell: Terminal, block: string): Promise<void> {
  const from = shell.output.length
  shell.child.stdin?.write(`{\n${block}\n} </dev/null\necho "::done"\n`)
  const said = () => shell.output.slice(from)
  await vi.waitFor(() => expect(shell.child.exitCode !== null || said().includes('::done\n')).toBe(true), {
    timeout: 120_000,
    interval: 100,
  })
  if (shell.child.exitCode !== null) throw new Error(`it ended with ${shell.child.exitCode}:\n${block}\n${said()}`)
}
