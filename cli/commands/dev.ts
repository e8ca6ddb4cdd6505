import { type Command, InvalidArgumentError } from 'commander'
import type { CliDeps } from '../deps.ts'
import { SCRIPTED_MODELS, startModelServer } from '../dev/model-server.ts'

/** `svc dev`: what helps to try things on one's own machine. */
export function registerDev(program: Command, deps: Pick<CliDeps, 'out'>): void {
  const dev = program.command('dev').description('helpers for trying things on this machine')
  dev
    .command('model-server')
    .description('serve scripted models in the format of OpenAI, on loopback, until it is stopped')
    .option('--port <n>', 'port to listen on, 0 for any that is free (default: 9191)', portNumber)
    .action(async ({ port = 9_191 }: { port?: number }) => {
      const server = await startModelServer({ port })
      deps.out(`scripted models on ${server.url}`)
      for (const [name, what] of Object.entries(SCRIPTED_MODELS)) deps.out(`  ${name.padEnd(12)} ${what}`)
      for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void server.stop())
    })
}

function portNumber(text: string): number {
  const port = Number(text)
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port
  throw new InvalidArgumentError('a whole number from 0 to 65535')
}
