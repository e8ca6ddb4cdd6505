import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { DomainError } from '#core/errors.ts'
import { withModel } from '#platform/models/models-text.ts'
import { programArgs } from '#platform/program/program-args.ts'
import type { ApiClient } from '../client/api-client.ts'
import type { CliDeps } from '../deps.ts'
import { mustBeSound, readModelsText } from '../models/models-file.ts'
import { whileBound } from '../models/save-models.ts'

/** Invented, and so dear that one answer is seen in the cost of the run, and a long one does not fit under its cap. */
const PRICES = { input: 100_000_000, output: 5_000_000_000 }
const LIMITS = { context: 8_000, output: 1_000 }

/** Takes the tour with a scripted model that is bound in `models.yaml` for its length: `svc dev model-server` as a child. */
export async function withTourModel(
  api: Pick<ApiClient, 'url' | 'models'>,
  { config, exit }: Pick<CliDeps, 'config' | 'exit'>,
  tour: (model: string) => Promise<boolean>,
): Promise<boolean> {
  const child = spawn(process.execPath, programArgs('cli/main.ts', 'dev', 'model-server', '--port', '0'), {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    const base_url = await urlOf(child)
    const path = config().models.file
    const before = await readModelsText(path)
    // with its own port, so that it is unique
    const id = `demo-echo-${new URL(base_url).port}`
    const model = { id, provider: 'openai_compatible', model: 'echo', base_url, prices: PRICES, limits: LIMITS }
    const after = withModel(before, model)
    mustBeSound(path, after)
    const change = { path, id, before, after, exit }
    return await whileBound(api, change, { work: () => tour(id), keeps: () => false })
  } finally {
    await stop(child)
  }
}

/** Reads the address from its first line. */
async function urlOf({ stdout }: ChildProcess): Promise<string> {
  if (stdout === null) throw new Error('the model server has no output')
  for await (const line of createInterface({ input: stdout })) {
    const url = /http:\S+/.exec(line)?.[0]
    if (url !== undefined) return url
  }
  throw new DomainError('dependency_unavailable', 'the server of scripted models did not start')
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
}
