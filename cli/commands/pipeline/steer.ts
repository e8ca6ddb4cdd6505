import type { Command } from 'commander'
import type { Schema } from '#client/create-client.ts'
import { visibleJson } from '#core/text/visible-text.ts'
import type { ApiClient } from '../../client/api-client.ts'
import type { CliDeps } from '../../deps.ts'
import { collectPair, parseInputs } from '../../parse-inputs.ts'
import { noStep, pipelineIdOf } from '../../pipelines/pipeline-id.ts'
import { printable } from '../../views/format.ts'
import { paintStatus, statusText } from '../../views/pill-text.ts'

interface SteerFlags {
  json?: boolean
  workspace?: string
}

interface AdvanceFlags extends SteerFlags {
  note?: string
  input: string[]
}

interface SteerDeps extends Pick<CliDeps, 'out' | 'readInput'> {
  api(workspace?: string): Pick<ApiClient, 'pipelines' | 'pipeline' | 'advancePipelineStep' | 'cancelPipeline'>
}

/** `svc pipeline advance <id> <step>` and `svc pipeline cancel <id>`. */
export function registerPipelineSteer(pipeline: Command, deps: SteerDeps): void {
  const command = (name: string, description: string) =>
    pipeline
      .command(name)
      .description(description)
      .argument('<pipeline_id>', 'its id, or the first characters of it')
      .option('--json', 'print the pipeline as JSON')
      .option('--workspace <id or name>', 'where it belongs (default: SVC_WORKSPACE, else your own)')

  command('advance', 'let a step with a manual gate begin; this approves nothing')
    .argument('<step>', 'its id')
    .option('--note <text>', 'why, for the record')
    .option('-i, --input <key=value>', 'replaces an input of the step (repeatable)', collectPair, [])
    .addHelpText(
      'after',
      '\nExit status: 0 it begins, 64 wrong inputs, 66 no such pipeline or step, 75 it is not waiting to be advanced.',
    )
    .action(async (named: string, step: string, { note, input, ...flags }: AdvanceFlags) => {
      const api = deps.api(flags.workspace)
      const inputs = await parseInputs({ pairs: input }, deps.readInput)
      const body = {
        ...(note !== undefined && { note }),
        ...(input.length > 0 && { inputs }),
      }
      const id = await pipelineIdOf(api, named)
      const advanced = await api.advancePipelineStep(id, step, body).catch(async (error: unknown) => {
        throw await noStep(error, api, id, step)
      })
      report(advanced, flags, deps)
    })

  command(
    'cancel',
    'cancel a pipeline: no further step begins, its runs are cancelled, and what has acted is compensated',
  )
    .option('--reason <text>', 'why, for the record')
    .addHelpText('after', '\nExit status: 0 it is being cancelled, 66 no such pipeline, 75 it has already ended.')
    .action(async (named: string, { reason, ...flags }: SteerFlags & { reason?: string }) => {
      const api = deps.api(flags.workspace)
      const body = reason === undefined ? {} : { reason }
      report(await api.cancelPipeline(await pipelineIdOf(api, named), body), flags, deps)
    })
}

function report(pipeline: Schema<'Pipeline'>, { json }: SteerFlags, { out }: SteerDeps): void {
  const { id, status, status_reason } = pipeline
  const doing = status_reason === undefined ? '' : ` (${status_reason})`
  out(json ? visibleJson(pipeline) : `${printable(id)}  ${paintStatus(statusText(status), status)}${doing}`)
}
