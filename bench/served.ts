import { fork } from 'node:child_process'
import { once } from 'node:events'
import { programArgs } from '#platform/program/program-args.ts'
import { cpuMs } from './cpu.ts'

export interface Served {
  url: string
  cpu_ms(): number
  stop(): Promise<void>
}

/** Starts a server in a process of its own, which prints its address when it is ready. */
export async function serve(main: string, env: Record<string, string>): Promise<Served> {
  const [script = '', ...program] = programArgs(main)
  const child = fork(script, program, {
    // as our own programs are started, and the same for both sides
    execArgv: ['--max-semi-space-size=32'],
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`${main} ended with ${code} before it served`)
  })
  ended.catch(() => undefined)
  const [ready]: unknown[] = await Promise.race([once(child, 'message'), ended])
  if (typeof ready !== 'object' || ready === null || !('url' in ready)) throw new Error(`${main} did not start`)
  return {
    url: String(ready.url),
    cpu_ms: () => cpuMs(child.pid ?? 0),
    async stop() {
      child.kill('SIGTERM')
      if (child.exitCode === null) await once(child, 'exit')
    },
  }
}
