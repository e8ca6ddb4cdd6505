import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const SVC = fileURLToPath(new URL('../../cli/svc.mjs', import.meta.url))

export interface CliOptions {
  /** on top of an environment that knows nothing of this machine's own settings */
  env: Record<string, string>
  input?: string
}

export interface CliResult {
  code: number | null
  stdout: string
  stderr: string
}

/** Runs the real command line to its end, without a terminal. */
export async function runCli(args: string[], { env, input = '' }: CliOptions): Promise<CliResult> {
  const child = spawn(process.execPath, [SVC, ...args], { env: cleanEnvironment(env) })
  const result = { code: null as number | null, stdout: '', stderr: '' }
  child.stdout.on('data', (chunk) => (result.stdout += chunk))
  child.stderr.on('data', (chunk) => (result.stderr += chunk))
  child.stdin.on('error', () => undefined)
  child.stdin.end(input)
  const [code] = await once(child, 'close')
  return { ...result, code: typeof code === 'number' ? code : null }
}

export interface TerminalSession {
  /** waits until the screen has shown `text` after what was waited for before */
  shows(text: string): Promise<void>
  type(keys: string): void
  /** the exit code */
  ended(): Promise<number | null>
  output(): string
}

/** Keys as a terminal sends them. */
export const KEY = { up: '\u001b[A', down: '\u001b[B', enter: '\r', interrupt: '\u0003' } as const

/** Runs the real command line in a pseudo-terminal, which `script` of util-linux makes. */
export function openTerminal(args: string[], { env }: Pick<CliOptions, 'env'>): TerminalSession {
  const words = [process.execPath, SVC, ...args].map((word) => `'${word.replaceAll("'", `'\\''`)}'`)
  // a terminal that nobody looks at has no size
  const command = `stty rows 50 cols 200; exec ${words.join(' ')}`
  const child = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
    env: cleanEnvironment({ TERM: 'xterm', ...env }),
  })
  const ending = once(child, 'close').then(([code]) => (typeof code === 'number' ? code : null))
  return screenOf(child, ending)
}

/** Runs the real command line without a terminal, while its output is read. */
export function openCli(args: string[], { env }: Pick<CliOptions, 'env'>): TerminalSession {
  const child = spawn(process.execPath, [SVC, ...args], { env: cleanEnvironment(env) })
  return screenOf(
    child,
    once(child, 'close').then(([code]) => (typeof code === 'number' ? code : null)),
  )
}

/** What does not come by then never does, and its absence is told with what was shown instead. */
const PATIENCE_MS = 60_000

function screenOf(child: ChildProcess, ending: Promise<number | null>): TerminalSession {
  let output = ''
  let seen = 0
  let wake = () => {}
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk) => {
      output += chunk
      wake()
    })
  }
  let over = false
  void ending.then(() => {
    over = true
    wake()
  })
  child.stdin?.on('error', () => undefined)
  return {
    async shows(text) {
      const deadline = performance.now() + PATIENCE_MS
      for (;;) {
        const at = output.indexOf(text, seen)
        if (at >= 0) {
          seen = at + text.length
          return
        }
        if (over) throw new Error(`the command ended and never showed ${JSON.stringify(text)}:\n${output}`)
        if (performance.now() > deadline)
          throw new Error(`the command did not show ${JSON.stringify(text)} in ${PATIENCE_MS} ms:\n${output}`)
        await new Promise<void>((resolve) => {
          wake = resolve
          setTimeout(resolve, 1_000)
        })
      }
    },
    type: (keys) => void child.stdin?.write(keys),
    ended: () => ending,
    output: () => output,
  }
}

function cleanEnvironment(env: Record<string, string>): Record<string, string> {
  const kept = ['PATH', 'TMPDIR', 'NODE_OPTIONS'].flatMap((name) => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value]]
  })
  return { ...Object.fromEntries(kept), NO_COLOR: '1', ...env }
}
