import { setTimeout as sleep } from 'node:timers/promises'
import { DomainError } from '#core/errors.ts'
import type { ApiClient } from '../client/api-client.ts'
import { startAndFollow } from '../commands/run.ts'
import type { CliDeps } from '../deps.ts'
import { ensureService } from '../ensure-service.ts'
import { startOf } from '../requested-start.ts'
import { printable } from '../views/format.ts'
import { EXAMPLE, startExampleWorker, writeExampleWorker } from './example-worker.ts'

const TEMPLATE = `${EXAMPLE}/greet`
const LOADED_WITHIN_MS = 30_000

/** From nothing to a step that an external worker has done, through a gate. Answers with the exit code of `svc run`. */
export async function tryWorker(deps: CliDeps, yes: boolean): Promise<number> {
  if (!yes && !deps.interactive)
    throw new DomainError('validation_failed', 'the gate needs a terminal to ask at: without one, use --yes')
  const config = deps.config()
  const { made, kept } = writeExampleWorker(config)
  for (const file of made) deps.out(printable(`made  ${file}`))
  for (const file of kept) deps.out(printable(`kept  ${file}`))
  const api = deps.api()
  const stopOwn = await ensureService(api, deps)
  const worker = startExampleWorker(config)
  try {
    await untilLoaded(api)
    const flags = { interactive: true, yes, environment: EXAMPLE, input: ['names=["Ada","Grace"]'] }
    return await startAndFollow(api, await startOf(TEMPLATE, flags, deps.readInput), flags, deps)
  } finally {
    worker.kill()
    await stopOwn?.()
  }
}

/** The service follows the files of packs and of environments. */
async function untilLoaded(api: ApiClient): Promise<void> {
  const until = Date.now() + LOADED_WITHIN_MS
  while (!(await isLoaded(api))) {
    if (Date.now() > until)
      throw new DomainError(
        'not_found',
        `the service on ${api.url} has no template ${TEMPLATE}: is its data directory another one?`,
      )
    await sleep(200)
  }
}

async function isLoaded(api: ApiClient): Promise<boolean> {
  const [templates, environments] = await Promise.all([api.packs(), api.environments()])
  return (
    templates.some(({ pack, template }) => `${pack}/${template}` === TEMPLATE) &&
    environments.some(({ name }) => name === EXAMPLE)
  )
}
