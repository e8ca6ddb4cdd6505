import { execa } from 'execa'
import { DomainError } from '#core/errors.ts'
import type { Logger } from '../logger.ts'
import { openChildLog } from './child-log.ts'
import { pause } from './keep-alive.ts'
import { sendSignal } from './processes.ts'

const FIRST_BACKOFF_MS = 200
const LAST_BACKOFF_MS = 5_000
/** a child that lived this long starts again without a longer wait */
const STABLE_MS = 10_000
const EARLY_FAILURES = 3
/** This many ends in this time are a crash loop, and starting it faster does not help. */
const LOOP_ENDS = 5
const LOOP_WITHIN_MS = 600_000
const LOOP_BACKOFF_MS = 15_000
const CONFIG_ERROR = 78

export interface ChildSpec {
  name: string
  command: string
  args: string[]
  /** it loads its modules at once and gets its environment over IPC; another program starts when its environment is known */
  awaitsSettings?: boolean
}

export interface ChildOptions {
  /** added to our own environment, once it is known */
  env: Promise<Record<string, string>>
  logFile: string
  log: Logger
  /** lines for the terminal */
  report: (line: string) => void
  /** tells whether the child's warnings are shown: before, its failure to start is message enough */
  isAudible: () => boolean
}

export interface SupervisedChild {
  name: string
  /** settles with the child's first `{type:'ready'}`; rejects when it keeps ending before that */
  ready: Promise<void>
  stop(graceMs: number): Promise<void>
}

/**
 * Runs a Node process with an IPC channel and starts it again whenever it ends. It leads its own process group, so Ctrl-C reaches only the
 * supervisor, and it exits when the channel closes.
 */
export function superviseChild(spec: ChildSpec, options: ChildOptions): SupervisedChild {
  const { name } = spec
  const stopping = new AbortController()
  const ready = withResolvers()
  const childLog = openChildLog(options.logFile, (line) => options.report(`${name}: ${line}`), options.isAudible)
  ready.promise.catch(() => undefined)
  let life: Life | undefined
  const living = (async () => {
    const known = await (spec.awaitsSettings ? {} : options.env.catch(() => stopping.abort()))
    const ends: number[] = []
    for (let failures = 0; !stopping.signal.aborted; ) {
      const began = Date.now()
      life = startLife(spec, known ?? {}, childLog.follow, ready.resolve)
      if (spec.awaitsSettings) options.env.then(life.configure, () => undefined)
      const end = await life.end
      life = undefined
      if (stopping.signal.aborted) break
      failures = Date.now() - began > STABLE_MS ? 1 : failures + 1
      if (!ready.settled() && (failures >= EARLY_FAILURES || end === `code ${CONFIG_ERROR}`)) {
        ready.reject(
          new DomainError(
            'dependency_unavailable',
            [`${name} ended with ${end} before it was ready; see ${options.logFile}`, ...childLog.tail()].join('\n  '),
          ),
        )
        break
      }
      ends.push(Date.now())
      const recent = ends.filter((at) => at > Date.now() - LOOP_WITHIN_MS)
      const isLoop = recent.length >= LOOP_ENDS
      const delayMs = isLoop ? LOOP_BACKOFF_MS : Math.min(FIRST_BACKOFF_MS * 2 ** (failures - 1), LAST_BACKOFF_MS)
      const again = `starting it again in ${delayMs / 1_000} s`
      if (isLoop) {
        options.log.error({ child: name, end, ends: recent.length, delay_ms: delayMs }, 'child is in a crash loop')
        options.report(crashLoopText({ name, end, ends: recent, logFile: options.logFile, tail: childLog.tail() }))
        options.report(again)
      } else {
        options.log.warn({ child: name, end, delay_ms: delayMs }, 'child ended; starting it again')
        options.report(`${name} ended with ${end}; ${again}`)
      }
      await pause(delayMs, stopping.signal)
    }
    childLog.close()
  })()
  return {
    name,
    ready: ready.promise,
    async stop(graceMs) {
      stopping.abort()
      ready.reject(new DomainError('dependency_unavailable', `${name} was stopped before it was ready`))
      const pid = life?.pid
      if (pid === undefined) return living
      sendSignal(pid, 'SIGTERM')
      const timer = setTimeout(() => {
        options.report(`${name} did not end within ${graceMs / 1_000} s; killing it`)
        sendSignal(-pid, 'SIGKILL')
      }, graceMs)
      await living
      clearTimeout(timer)
    },
  }
}

interface CrashLoop {
  name: string
  end: string
  /** times of its recent ends, in milliseconds */
  ends: number[]
  logFile: string
  tail: string[]
}

function crashLoopText({ name, end, ends, logFile, tail }: CrashLoop): string {
  const minutes = Math.max(1, Math.ceil((Date.now() - (ends[0] ?? 0)) / 60_000))
  const span = minutes === 1 ? 'a minute' : `${minutes} minutes`
  return [
    `${name} is in a crash loop: it ended ${ends.length} times within ${span}, last with ${end}. See ${logFile}`,
    ...tail,
  ].join('\n  ')
}

interface Life {
  pid: number | undefined
  /** the reason of its end: `code 1`, `signal SIGKILL` */
  end: Promise<string>
  configure: (env: Record<string, string>) => void
}

function startLife(
  spec: ChildSpec,
  env: Record<string, string>,
  follow: ReturnType<typeof openChildLog>['follow'],
  onReady: () => void,
): Life {
  const child = execa(spec.command, spec.args, {
    env,
    ipc: true,
    detached: true,
    cleanup: false,
    buffer: false,
    reject: false,
    stdin: 'ignore',
  })
  follow(child.stdout, 'json')
  follow(child.stderr, 'raw')
  child.on('message', (message: unknown) => {
    if (typeof message === 'object' && message !== null && 'type' in message && message.type === 'ready') onReady()
  })
  const end = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) => resolve(signal ? `signal ${signal}` : `code ${code}`))
    child.once('error', (error) => resolve(error.message))
  })
  // the child may have ended meanwhile; its end is handled above
  const configure = (values: Record<string, string>) => void child.send({ env: values }, () => undefined)
  return { pid: child.pid, end, configure }
}

function withResolvers() {
  let settled = false
  let settle: { resolve: () => void; reject: (error: Error) => void } = {
    resolve: () => undefined,
    reject: () => undefined,
  }
  const promise = new Promise<void>((resolve, reject) => {
    settle = { resolve, reject }
  })
  const resolve = () => {
    settled = true
    settle.resolve()
  }
  return { promise, resolve, reject: (error: Error) => settle.reject(error), settled: () => settled }
}
