import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { programArgs } from '#platform/program/program-args.ts'

export interface DemoService {
  url: string
  /** status and body of `GET /health` */
  health(): Promise<{ status: number; body: unknown }>
  breakIt(): Promise<void>
  stop(): Promise<void>
}

/** Starts the demo service as a process of its own: a real HTTP service with a real fault switch. */
export async function startDemoService(): Promise<DemoService> {
  const child = spawn(process.execPath, programArgs('cli/demo/demo-server.ts', '0'), {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: child.stdout })
  const [line] = (await once(lines, 'line')) as [string]
  const url = /https?:\/\/[\w.:]+/.exec(line)?.[0]
  if (url === undefined) throw new Error(`the demo service said: ${line}`)
  return {
    url,
    async health() {
      // biome-ignore lint/style/noRestrictedGlobals: the demo asks its own service
      const response = await fetch(`${url}/health`)
      return { status: response.status, body: await response.json() }
    },
    async breakIt() {
      // biome-ignore lint/style/noRestrictedGlobals: the demo asks its own service
      await fetch(`${url}/fault`, { method: 'POST' })
    },
    async stop() {
      child.kill('SIGTERM')
      if (child.exitCode === null) await once(child, 'exit')
    },
  }
}
