import type { Command } from 'commander'
import type { Schema } from '#client/create-client.ts'
import { visibleJson } from '#core/text/visible-text.ts'
import { isStartRefusal } from '#core/trigger/outcome.ts'
import { describeProblem } from '../../client/api-answers.ts'
import type { ApiClient } from '../../client/api-client.ts'
import { ApiProblem } from '../../client/api-problem.ts'
import type { CliDeps } from '../../deps.ts'
import { collectPair, parseInputs } from '../../parse-inputs.ts'
import { EXIT_OF_PIPELINE, followPipeline } from '../../pipelines/follow-pipeline.ts'
import { printable } from '../../views/format.ts'

const REFUSED = 2

const EXIT_HELP = `
Exit status:
  0  started; with --watch: succeeded
  1  with --watch: failed
  2  refused by a halt or a policy; with --watch also: rejected
  3  with --watch: cancelled
  64 wrong arguments, or the bundle is broken   69 the service does not answer   75 the bundle has changed
  77 not logged in, or not allowed   78 it waits for events, but the bus keeps none`

interface RunFlags {
  input: string[]
  inputs?: string
  environment?: string
  profile?: string
  reason?: string
  bundleDigest?: string
  watch?: boolean
  json?: boolean
  workspace?: string
}

interface RunDeps extends Pick<CliDeps, 'out' | 'err' | 'screen' | 'exit' | 'readInput'> {
  api(workspace?: string): Pick<ApiClient, 'startPipeline' | 'pipeline' | 'streamPipeline'>
}

/** `svc pipeline run <bundle> [pipeline]`: starts a pipeline. */
export function registerPipelineRun(pipeline: Command, deps: RunDeps): void {
  pipeline
    .command('run')
    .description('start a pipeline of a bundle, and print its id')
    .argument('<bundle>', 'its path below SVC_PIPELINES_DIR, or <pack>/<bundle>')
    .argument('[pipeline]', 'its name, if the bundle has several')
    .option('-i, --input <key=value>', 'an input; read as JSON if it is JSON (repeatable)', collectPair, [])
    .option('--inputs <file>', 'inputs from a YAML or JSON file, or - for standard input')
    .option('--environment <name>', 'where its runs act')
    .option('--profile <name>', 'the profile that they run under')
    .option('--reason <text>', 'why, for those who approve and for the record')
    .option('--bundle-digest <digest>', 'start it only if the bundle has this digest')
    .option('--watch', 'follow it to its end')
    .option('--json', 'print JSON')
    .option('--workspace <id or name>', 'where it belongs (default: SVC_WORKSPACE, else your own)')
    .addHelpText('after', EXIT_HELP)
    .action((bundle: string, name: string | undefined, flags: RunFlags) => run({ bundle, name }, flags, deps))
}

async function run(named: { bundle: string; name: string | undefined }, flags: RunFlags, deps: RunDeps): Promise<void> {
  const source = { pairs: flags.input, ...(flags.inputs !== undefined && { file: flags.inputs }) }
  const request = requestOf(named, flags, await parseInputs(source, deps.readInput))
  const api = deps.api(flags.workspace)
  try {
    const started = await api.startPipeline(request)
    if (!flags.json) deps.out(printable(started.pipeline_id))
    else if (!flags.watch) deps.out(visibleJson(started))
    if (!flags.watch) return
    const { status } = await followPipeline(api, started.pipeline_id, flags, deps)
    deps.exit(EXIT_OF_PIPELINE[status])
  } catch (error) {
    if (!(error instanceof ApiProblem && isStartRefusal(error.code))) throw error
    for (const line of describeProblem(error, flags.json)) deps.err(line)
    deps.exit(REFUSED)
  }
}

function requestOf(
  { bundle, name }: { bundle: string; name: string | undefined },
  { environment, profile, reason, bundleDigest }: RunFlags,
  inputs: Record<string, unknown>,
): Schema<'PipelineRequest'> {
  return {
    bundle_path: bundle,
    inputs,
    ...(name !== undefined && { pipeline_name: name }),
    ...(environment !== undefined && { environment }),
    ...(profile !== undefined && { profile }),
    ...(reason !== undefined && { reason }),
    ...(bundleDigest !== undefined && { bundle_digest: bundleDigest }),
  }
}
