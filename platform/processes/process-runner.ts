import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { type FileHandle, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable, type Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import type { ProcessLimits } from '#core/environment/process-schema.ts'
import { cutText } from '#core/text/text.ts'
import { killGroup, killStrays } from './kill-processes.mjs'
import { type LeftFile, leftFiles, openFolder, removeFolder } from './left-files.ts'
import { findPrlimit, ownerOf, ProcessRefusal, programDigest } from './process-files.ts'

const SUPERVISOR = fileURLToPath(new URL('supervise.mjs', import.meta.url))
const MB = 1024 * 1024
/** Beyond its grace: what watches a process may have been stopped by it. */
const LATE_MS = 5_000
/** How long output is waited for when the process is over: a stray that hides may hold it open. */
const DRAIN_MS = 1_000
const LINE_CHARS = 2_000

/** A program as it was judged. */
export type Program = {
  command: string
  sha256: string
  user?: string
  env: Record<string, string>
  limits: ProcessLimits
}

/** What was kept of one stream: the beginning or the end of it. */
export interface StreamOutput {
  text: string
  bytes: number
  truncated: boolean
  sha256: string
}

export interface ProcessExit {
  /** null where a signal ended it, or where nobody saw its end */
  code: number | null
  signal: string | null
  /** who ended it; `lost`: what watched it was killed, so its group was as well */
  stopped?: 'aborted' | 'time' | 'lost'
  stdout: StreamOutput
  stderr: StreamOutput
  /** what it left of what was wanted, once it has ended by itself; or why that cannot be kept */
  files: LeftFile[] | { problem: string }
}

export interface ProcessRun {
  args: readonly string[]
  /** paths of files and folders below the folder that it works in */
  keep?: readonly string[]
  stdin?: string
  signal: AbortSignal
  /** right before it starts */
  beforeStart(): Promise<void>
  /** each line of standard output */
  onLine(line: string): void
}

/** Runs programs without a shell. Only on Linux. */
export interface ProcessRunner {
  /** Throws ProcessRefusal where the file, the user or the machine is not as it must be. */
  inspect(wanted: { command: string; user?: string | undefined }): Promise<{ sha256: string }>
  /** Resolves when nothing of it runs any more. Throws ProcessRefusal, `changed` where the file is another one. */
  run(program: Program, run: ProcessRun): Promise<ProcessExit | 'changed'>
}

export function createProcessRunner(): ProcessRunner {
  return {
    async inspect({ command, user }) {
      await prlimit()
      await ownerOf(user)
      return { sha256: await programDigest(command) }
    },
    async run(program, run) {
      const [limiter, owner] = [await prlimit(), await ownerOf(program.user)]
      const cwd = await mkdtemp(join(tmpdir(), 'svc-process-'))
      // the owner of a folder may rename it, and put something else in its place
      const folder = await openFolder(cwd)
      try {
        if (owner !== undefined) await folder.chown(owner.uid, owner.gid)
        await run.beforeStart()
        // after all that takes time
        if ((await programDigest(program.command)) !== program.sha256) return 'changed'
        const order = {
          file: limiter,
          args: [...limitsOf(program.limits), '--', program.command, ...run.args],
          cwd,
          env: program.env,
          mark: `SVC_PROCESS_${randomBytes(12).toString('hex').toUpperCase()}`,
          grace_ms: program.limits.grace_ms,
          stdin: run.stdin,
          ...owner,
        }
        const uid = owner?.uid ?? process.getuid?.() ?? 0
        return await supervise(order, program.limits, { ...run, folder, uid })
      } finally {
        await folder.close()
        await removeFolder(cwd)
      }
    },
  }
}

async function prlimit(): Promise<string> {
  const path = await findPrlimit()
  if (path === undefined) throw new ProcessRefusal('this worker has no prlimit (util-linux), which sets the limits')
  return path
}

/** Memory is what it may write to: programs reserve far more addresses than they use. */
function limitsOf({ memory_mb, cpu_seconds, open_files, file_mb, processes }: ProcessLimits): string[] {
  return [
    ...['--core=0', `--data=${memory_mb * MB}`, `--nofile=${open_files}`, `--fsize=${file_mb * MB}`],
    ...(cpu_seconds === undefined ? [] : [`--cpu=${cpu_seconds}`]),
    ...(processes === undefined ? [] : [`--nproc=${processes}`]),
  ]
}

/** As `supervise.mjs` reads it. */
interface Order {
  mark: string
}

interface InFolder {
  folder: FileHandle
  /** whose files are its own */
  uid: number
}

async function supervise(order: Order, limits: ProcessLimits, run: ProcessRun & InFolder): Promise<ProcessExit> {
  run.signal.throwIfAborted()
  const { stdin, stdout, stderr, reports, exited, closed, kill } = startSupervisor()
  const outputs = collectOutputs(stdout, stderr, limits)
  eachLine(stdout, run.onLine)
  for (const stream of [stdout, stderr]) takeTurns(stream)
  const stop = createStop({ stdin, kill }, limits, run.signal)
  stdin.write(`${JSON.stringify(order)}\n`)
  try {
    const { code, signal, lost } = await readExit(reports, order.mark)
    if (lost) stop.because('lost')
    // the supervisor removes the folder once its input ends
    const files = stop.reason() === undefined ? await kept(run, limits) : []
    stdin.end()
    await exited
    await drained(closed, [stdout, stderr])
    const stopped = stop.reason()
    return { code, signal, ...(stopped && { stopped }), ...outputs(), files }
  } finally {
    stdin.end()
    stop.release()
  }
}

interface Supervisor {
  /** it stops the process when this ends */
  stdin: Writable
  stdout: Readable
  stderr: Readable
  reports: Readable
  exited: Promise<void>
  closed: Promise<void>
  kill(): void
}

function startSupervisor(): Supervisor {
  const stdio = Array.from({ length: 4 }, () => 'pipe' as const)
  const child = spawn(process.execPath, [SUPERVISOR], { env: {}, cwd: '/', detached: true, stdio })
  const exited = new Promise<void>((resolve, reject) => child.on('error', reject).on('exit', () => resolve()))
  // a child that cannot be started has no pipes, or reports nothing before this is awaited
  exited.catch(() => undefined)
  const { stdin, stdout, stderr } = child
  const reports = child.stdio[3]
  if (!stdin || !stdout || !stderr || !(reports instanceof Readable)) throw new Error('the supervisor has no pipes')
  stdin.on('error', () => undefined)
  return {
    stdin,
    stdout,
    stderr,
    reports,
    exited,
    closed: new Promise((resolve) => child.on('close', () => resolve())),
    kill: () => void child.kill('SIGKILL'),
  }
}

/** Stops the process when its time is over or its signal is aborted. The first reason counts. */
function createStop({ stdin, kill }: Pick<Supervisor, 'stdin' | 'kill'>, limits: ProcessLimits, signal: AbortSignal) {
  let reason: ProcessExit['stopped']
  let late: NodeJS.Timeout | undefined
  const stop = (why: 'aborted' | 'time') => {
    reason ??= why
    stdin.end()
    late ??= setTimeout(kill, limits.grace_ms + LATE_MS)
  }
  const abort = () => stop('aborted')
  const timer = setTimeout(() => stop('time'), limits.time_ms)
  signal.addEventListener('abort', abort, { once: true })
  return {
    because(why: 'lost'): void {
      reason ??= why
    },
    reason: () => reason,
    release(): void {
      clearTimeout(timer)
      clearTimeout(late)
      signal.removeEventListener('abort', abort)
    },
  }
}

async function kept({ folder, keep = [], uid }: ProcessRun & InFolder, limits: ProcessLimits) {
  const { artifacts: files, artifact_mb } = limits
  return await leftFiles(folder, keep, { limits: { files, bytes: artifact_mb * MB }, uid })
}

/** A line that `supervise.mjs` writes. */
const Report = z.union([
  z.object({ pid: z.int() }),
  z.object({ error: z.string() }),
  z.object({ code: z.int().nullable(), signal: z.string().nullable() }),
])

/** Reads what the supervisor reports. Where it was killed itself, all that it watched is ended from here. */
async function readExit(
  reports: Readable,
  mark: string,
): Promise<Pick<ProcessExit, 'code' | 'signal'> & { lost: boolean }> {
  let pid: number | undefined
  for await (const line of createInterface({ input: reports })) {
    const report = Report.parse(JSON.parse(line))
    if ('error' in report) throw new ProcessRefusal(report.error)
    if ('code' in report) return { ...report, lost: false }
    pid = report.pid
  }
  killGroup(pid, 'SIGKILL')
  killStrays(mark)
  return { code: null, signal: null, lost: true }
}

async function drained(closed: Promise<void>, streams: Readable[]): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, DRAIN_MS)
  })
  await Promise.race([closed, late])
  clearTimeout(timer)
  for (const stream of streams) stream.destroy()
}

/** Of the standard output the beginning is kept, of the standard error the end, where a program says why it failed. */
function collectOutputs(stdout: Readable, stderr: Readable, { output_kb }: ProcessLimits) {
  const max_bytes = output_kb * 1024
  const [out, err] = [collect(stdout, max_bytes, 'beginning'), collect(stderr, max_bytes, 'end')]
  return () => ({ stdout: out(), stderr: err() })
}

/** Counts and digests all of a stream, and keeps so many bytes of it. */
function collect(stream: Readable, max_bytes: number, which: 'beginning' | 'end'): () => StreamOutput {
  const hash = createHash('sha256')
  let kept = Buffer.alloc(0)
  let bytes = 0
  stream.on('data', (chunk: Buffer) => {
    hash.update(chunk)
    bytes += chunk.byteLength
    if (which === 'end') kept = Buffer.concat([kept, chunk]).subarray(-max_bytes)
    else if (kept.byteLength < max_bytes) kept = Buffer.concat([kept, chunk]).subarray(0, max_bytes)
  })
  return () => ({ text: kept.toString('utf8'), bytes, truncated: bytes > max_bytes, sha256: hash.digest('hex') })
}

/** Reads one chunk, then lets others have their turn: a flood would hold up every other step of the worker. */
function takeTurns(stream: Readable): void {
  stream.on('data', () => {
    stream.pause()
    setImmediate(() => stream.resume())
  })
}

/** Hands on the lines of a stream, of each its beginning. */
function eachLine(stream: Readable, onLine: (line: string) => void): void {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  let line = ''
  const read = (text: string) => {
    const [first = '', ...next] = text.split('\n')
    line = cutText(line + first, LINE_CHARS)
    for (const each of next) {
      onLine(line)
      line = cutText(each, LINE_CHARS)
    }
  }
  stream.on('data', (chunk: Buffer) => read(decoder.decode(chunk, { stream: true })))
  stream.on('end', () => {
    read(decoder.decode())
    if (line !== '') onLine(line)
  })
}
