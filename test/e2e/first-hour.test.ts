import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { readDocPage } from '#test/support/doc-blocks.ts'
import { freePort } from '#test/support/free-ports.ts'
import { PATIENCE } from '#test/support/patience.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
/** Ports of the page: those of the API, the demo service, the scripted models and the receiver of webhooks. */
const PORTS = ['9090', '8080', '9191', '9192']
const TERMINAL = '# a terminal of its own\n'
const READY = /http:\/\/127\.0\.0\.1:\d+/

let home: string
let env: Record<string, string>
let ports: Map<string, string>
const terminals: Terminal[] = []

interface Terminal {
  child: ChildProcess
  output: string
}

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'svc-first-hour-'))
  ports = new Map()
  for (const port of PORTS) ports.set(port, String(await freePort()))
  const of = (port: string) => ports.get(port) ?? ''
  env = {
    ...{ PATH: process.env['PATH'] ?? '', HOME: home, NO_COLOR: '1' },
    // what is fetched or built once is there already
    XDG_CACHE_HOME: process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'),
    ...(process.env['SVC_TEMPORAL_CLI'] && { SVC_TEMPORAL_CLI: process.env['SVC_TEMPORAL_CLI'] }),
    ...{ SVC_PORT: of('9090'), SVC_TEMPORAL_PORT: String(await freePort()) },
  }
})
afterAll(async () => {
  for (const { child } of terminals.reverse()) {
    if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) continue
    const ended = once(child, 'exit')
    process.kill(-child.pid, 'SIGTERM')
    await ended
  }
  await rm(home, { recursive: true, force: true, maxRetries: 10 })
})

/** The commands of the page, with ports that are free here, and the places where a person does something. */
function stepsOf(page: string): string[] {
  const found = page.matchAll(/^```sh\n([\s\S]*?)^```|^<!-- test: (.*) -->$/gm)
  return Array.from(found, ([, block, note]) => block ?? note ?? '').map((step) =>
    step
      .replaceAll(/\b(9090|8080|919[12])\b/g, (port) => ports.get(port) ?? port)
      .replace(/cli\/demo\/demo-server\.ts$/m, (program) => `${program} ${ports.get('8080')}`)
      .replace(/svc dev model-server$/m, (command) => `${command} --port ${ports.get('9191')}`)
      .replace(/svc dev webhook-server$/m, (command) => `${command} --port ${ports.get('9192')}`)
      // the tests run on what it has installed
      .replace(/^npm ci$/m, ''),
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

/** Runs a block in the one shell of the reader, where variables stay, and answers what it printed. */
async function runIn(shell: Terminal, block: string): Promise<string> {
  const from = shell.output.length
  shell.child.stdin?.write(`{\n${block}\n} </dev/null\necho "::done"\n`)
  const said = () => shell.output.slice(from)
  await vi.waitFor(() => expect(shell.child.exitCode !== null || said().includes('::done\n')).toBe(true), {
    timeout: 120_000,
    interval: 100,
  })
  if (shell.child.exitCode !== null) throw new Error(`it ended with ${shell.child.exitCode}:\n${block}\n${said()}`)
  return said()
}

/** Opens the link of the last message, as a browser does, and approves with its code. */
async function approveByLink(receiver: Terminal | undefined): Promise<void> {
  const message = await vi.waitFor(() => {
    const found = /^ {2}answer +(\S+)\n {2}code +(\S+)$/m.exec(receiver?.output ?? '')
    expect(found, receiver?.output).not.toBeNull()
    return found
  }, PATIENCE)
  const [, url = '', code = ''] = message ?? []
  const headers = { accept: 'application/json' }
  const { nonce } = (await (await fetch(url, { headers })).json()) as { nonce: string }
  const answer = await fetch(`${url}&decision=approve`, {
    headers: { ...headers, 'x-svc-confirm': nonce, 'x-svc-code': code },
  })
  expect(answer.status, await answer.text()).toBe(200)
}

test('every command of the first hour does what the page says', { timeout: 600_000 }, async () => {
  const shell = open('-s')
  for (const step of stepsOf(readDocPage('first-hour'))) {
    if (step.startsWith(TERMINAL)) {
      const terminal = open('-c', step)
      await vi.waitFor(() => expect(terminal.output).toMatch(READY), { timeout: 180_000, interval: 200 })
    } else if (step === 'approve by the link') {
      await approveByLink(terminals.find(({ output }) => output.startsWith('webhooks go to')))
    } else await runIn(shell, step)
  }
  for (const line of [
    'Start the service with: npm start',
    '2 passed, 0 failed',
    /run run_\w+ succeeded/,
    '{"status":"ok"}',
    /ok {2}channel phone: .* took a test message/,
    /run\.succeeded/,
    /holder of the link sent to \S+ +Gate approved/,
    /chain ok: \d+ records/,
    /run_\w+ of my-pack\/restart in development was started by alert/,
  ])
    expect(shell.output).toMatch(line)
  // nothing on the way is reported as wrong
  const logs = await Promise.all(['api', 'worker'].map((name) => readFile(join(home, `.svc/logs/${name}.log`), 'utf8')))
  expect(
    logs
      .join('')
      .split('\n')
      .filter((line) => /"level":[4-6]0/.test(line)),
  ).toEqual([])
  // what a repository of it would hold: no data, no keys
  const git = (...args: string[]) => execa('git', ['-C', join(home, '.svc'), ...args], { env: { HOME: home } })
  await git('init', '--quiet')
  const { stdout } = await git('add', '--all', '--dry-run')
  expect(stdout.split('\n').map((line) => line.slice("add '".length, -1))).toEqual([
    '.gitignore',
    'channels.yaml',
    'environments/development.yaml',
    'environments/production.yaml',
    'models.yaml',
    'packs/my-pack/pack.yaml',
    'packs/my-pack/templates/restart.yaml',
    'packs/my-pack/tests/restart.yaml',
    'rules/my-pack.yaml',
  ])
})
