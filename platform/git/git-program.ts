import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bareHost } from '#core/egress/url.ts'

const USUAL_PATH = '/usr/local/bin:/usr/bin:/bin'
const MAX_ERROR_CHARS = 16_000
const BLOCK_BYTES = 512
const MEMORY_BLOCK_BYTES = 1024
/** The limits of the shell hold for whatever git starts. Some systems limit no memory. */
const LIMITED = 'ulimit -v "$1" 2>/dev/null; shift; ulimit -f "$0" && exec git "$@"'

/** A repository elsewhere, reached over HTTP(S) at checked addresses. */
export interface GitRemote {
  /** without credentials */
  url: string
  authorization?: string
  addresses: readonly string[]
}

export interface GitLimits {
  signal: AbortSignal
  /** of one file that git writes, such as a pack that is fetched */
  max_bytes: number
  /** of one process of git: a small pack can unpack to anything */
  max_memory: number
}

/** A temporary repository; every command of it runs in its folder, which is removed afterwards. */
export interface GitFolder {
  /** Its standard output. Rejects with GitFailure. */
  run(args: string[], options?: { input?: string | Uint8Array; max_output?: number }): Promise<Buffer>
}

/** Runs the `git` of this machine. */
export interface Git {
  open<Result>(remote: GitRemote, limits: GitLimits, work: (folder: GitFolder) => Promise<Result>): Promise<Result>
}

/** Git ended with another status than 0, or wrote more than it may. */
export class GitFailure extends Error {
  /** what it said, in English */
  readonly said: string
  readonly reason: 'missing' | 'too_large' | 'failed'

  constructor(said: string, reason: 'missing' | 'too_large' | 'failed') {
    super(said)
    this.name = 'GitFailure'
    this.said = said
    this.reason = reason
  }
}

/** Creates the git of a PATH. It has no settings but ours: no hooks, no credentials of the machine, no prompts, and HTTP(S) alone. */
export function createGit({ path = USUAL_PATH }: { path?: string | undefined } = {}): Git {
  return {
    async open(remote, limits, work) {
      const home = await mkdtemp(join(tmpdir(), 'svc-git-'))
      const dir = join(home, 'repository')
      const env = environment({ path, home }, settingsOf(remote))
      const run = (args: string[], options: { input?: string | Uint8Array; max_output?: number } = {}) =>
        runGit(args, { ...options, cwd: home, env: { ...env, GIT_DIR: dir }, limits })
      try {
        await mustBeRecent(run)
        await run(['init', '--quiet', '--bare', '--template=', dir])
        return await work({ run })
      } finally {
        await rm(home, { recursive: true, force: true })
      }
    },
  }
}

/** An older one does not know `http.curloptResolve`, and would go wherever the name leads it. */
async function mustBeRecent(run: GitFolder['run']): Promise<void> {
  const said = (await run(['version'])).toString('utf8').trim()
  const [, major = 0, minor = 0] = /^git version (\d+)\.(\d+)/.exec(said) ?? []
  if (Number(major) * 1_000 + Number(minor) < 2_037) throw new GitFailure(said, 'missing')
}

function environment({ path, home }: { path: string; home: string }, settings: [string, string][]) {
  return {
    PATH: path,
    HOME: home,
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '/bin/false',
    SSH_ASKPASS: '/bin/false',
    GIT_ALLOW_PROTOCOL: 'http:https',
    GIT_PROTOCOL_FROM_USER: '0',
    // in the environment, where other users of the machine do not see them
    GIT_CONFIG_COUNT: String(settings.length),
    ...Object.fromEntries(
      settings.flatMap(([name, value], at) => [
        [`GIT_CONFIG_KEY_${at}`, name],
        [`GIT_CONFIG_VALUE_${at}`, value],
      ]),
    ),
  }
}

function settingsOf({ url, authorization, addresses }: GitRemote): [string, string][] {
  const { protocol, hostname, port } = new URL(url)
  const at = `${bareHost(hostname)}:${port === '' ? (protocol === 'https:' ? 443 : 80) : port}`
  const found = addresses.map((each) => (each.includes(':') ? `[${each}]` : each)).join(',')
  return [
    ['core.hooksPath', '/dev/null'],
    ['core.fsmonitor', 'false'],
    ['credential.helper', ''],
    ['http.followRedirects', 'false'],
    ['http.proxy', ''],
    // no ticket of the machine (Kerberos)
    ['http.emptyAuth', 'false'],
    ['http.lowSpeedLimit', '1000'],
    ['http.lowSpeedTime', '20'],
    ['transfer.fsckObjects', 'true'],
    // what is larger goes through git in pieces
    ['core.bigFileThreshold', '16m'],
    ['pack.threads', '1'],
    ['fetch.recurseSubmodules', 'false'],
    ['fetch.unpackLimit', '1'],
    ['gc.auto', '0'],
    ['maintenance.auto', 'false'],
    // the connection goes to the addresses that were checked
    ...(hostname.startsWith('[') ? [] : ([['http.curloptResolve', `${at}:${found}`]] as [string, string][])),
    ...(authorization === undefined
      ? []
      : ([['http.extraHeader', `authorization: ${authorization}`]] as [string, string][])),
  ]
}

interface Running {
  cwd: string
  env: Record<string, string>
  limits: GitLimits
  input?: string | Uint8Array
  max_output?: number
}

function runGit(args: string[], { cwd, env, limits, input, max_output }: Running): Promise<Buffer> {
  const most = max_output ?? limits.max_bytes
  const { signal } = limits
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    const blocks = [Math.ceil(limits.max_bytes / BLOCK_BYTES), Math.ceil(limits.max_memory / MEMORY_BLOCK_BYTES)]
    const child = spawn('/bin/sh', ['-c', LIMITED, ...blocks.map(String), ...args], {
      cwd,
      env,
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    const chunks: Buffer[] = []
    let [bytes, said] = [0, '']
    // with all that it has started
    const kill = () => {
      try {
        if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL')
      } catch {
        // it has ended by itself
      }
    }
    signal.addEventListener('abort', kill, { once: true })
    child.stdout.on('data', (chunk: Buffer) => {
      bytes += chunk.byteLength
      if (bytes > most) kill()
      else chunks.push(chunk)
    })
    child.stderr.on('data', (chunk: Buffer) => {
      said = `${said}${chunk.toString('utf8')}`.slice(-MAX_ERROR_CHARS)
    })
    child.stdin.on('error', () => undefined)
    child.stdin.end(input)
    child.on('error', reject)
    child.on('close', (code) => {
      signal.removeEventListener('abort', kill)
      if (signal.aborted) return reject(signal.reason)
      if (bytes > most) return reject(new GitFailure(`git gives more than ${most} bytes`, 'too_large'))
      if (code === 0) return resolve(Buffer.concat(chunks))
      const large = /File too large|File size limit exceeded|out of memory/i.test(said) || code === 153 || code === null
      const missing = code === 127 && /git: not found|not found/.test(said)
      reject(new GitFailure(said, missing ? 'missing' : large ? 'too_large' : 'failed'))
    })
  })
}
