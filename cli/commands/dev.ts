import { type Command, InvalidArgumentError } from 'commander'
import type { CliDeps } from '../deps.ts'
import { SCRIPTED_MODELS, startModelServer } from '../dev/model-server.ts'
import { tryWorker } from '../dev/try-worker.ts'
import { startWebhookServer } from '../dev/webhook-server.ts'
import { printable } from '../views/format.ts'

/** `svc dev`: what helps to try things on one's own machine. */
export function registerDev(program: Command, deps: CliDeps): void {
  const dev = program.command('dev').description('helpers for trying things on this machine')
  const server = (name: string, usual: number, description: string) =>
    dev
      .command(name)
      .description(description)
      .option('--port <n>', `port to listen on, 0 for any that is free (default: ${usual})`, portNumber)
  server(
    'model-server',
    9_191,
    'serve scripted models in the format of OpenAI, on loopback, until it is stopped',
  ).action(async ({ port = 9_191 }: { port?: number }) => {
    const models = await startModelServer({ port })
    deps.out(`scripted models on ${models.url}`)
    for (const [name, what] of Object.entries(SCRIPTED_MODELS)) deps.out(`  ${name.padEnd(12)} ${what}`)
    stopWithProcess(models)
  })
  server(
    'webhook-server',
    9_192,
    'show what a channel of kind webhook is sent, on loopback, until it is stopped; verifies no signature',
  ).action(async ({ port = 9_192 }: { port?: number }) => {
    const show = (lines: string[]) => {
      for (const line of lines) deps.out(printable(line))
    }
    const webhooks = await startWebhookServer({ port, show })
    deps.out(`webhooks go to ${webhooks.url}`)
    stopWithProcess(webhooks)
  })
  dev
    .command('worker')
    .description('write an external Temporal worker, start it, and have it do a step behind a gate')
    .option('--yes', 'approve the gate without asking')
    .action(async ({ yes = false }: { yes?: boolean }) => deps.exit(await tryWorker(deps, yes)))
}

function stopWithProcess(server: { stop(): Promise<void> }): void {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void server.stop())
}

function portNumber(text: string): number {
  const port = Number(text)
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port
  throw new InvalidArgumentError('a whole number from 0 to 65535')
}
