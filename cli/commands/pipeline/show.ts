import { type Command, Option } from 'commander'
import { MAX_ITEMS } from '#core/pipeline/types.ts'
import { visibleJson } from '#core/text/visible-text.ts'
import type { ApiClient } from '../../client/api-client.ts'
import type { CliDeps } from '../../deps.ts'
import { EXIT_OF_PIPELINE, FOLLOW_EXIT_HELP, followPipeline } from '../../pipelines/follow-pipeline.ts'
import { pipelineIdOf } from '../../pipelines/pipeline-id.ts'
import { configLines, fitted, pipelineLines } from '../../pipelines/show-pipeline.ts'
import { wholeNumber } from '../../views/format.ts'

interface ShowFlags {
  config?: boolean
  entry?: number
  json?: boolean
  workspace?: string
}

interface ShowDeps extends Pick<CliDeps, 'out' | 'err' | 'screen' | 'exit'> {
  api(workspace?: string): Pick<ApiClient, 'pipelines' | 'pipeline' | 'pipelineConfig' | 'streamPipeline'>
}

/** `svc pipeline show <id>` and `svc pipeline watch <id>`. */
export function registerPipelineShow(pipeline: Command, deps: ShowDeps): void {
  const command = (name: string, description: string) =>
    pipeline
      .command(name)
      .description(description)
      .argument('<pipeline_id>', 'its id, or the first characters of it')
      .option('--json', 'print JSON')
      .option('--workspace <id or name>', 'where it belongs (default: SVC_WORKSPACE, else your own)')

  command('show', 'show a pipeline: its status, its steps as a tree, how to answer its gates, and what it cost')
    .option('--config', 'also show every value it is composed of, and the layer that each comes from')
    .addOption(
      new Option('--entry <n>', 'the same for this entry of each for_each, from 0 (default: the first)')
        .argParser(wholeNumber(MAX_ITEMS - 1, 0))
        .implies({ config: true }),
    )
    .action((named: string, flags: ShowFlags) => show(named, flags, deps))

  command('watch', 'follow a pipeline to its end: as a tree in a terminal, otherwise as events, one per line')
    .addHelpText('after', FOLLOW_EXIT_HELP)
    .action(async (named: string, flags: ShowFlags) => {
      const api = deps.api(flags.workspace)
      const { status } = await followPipeline(api, await pipelineIdOf(api, named), flags, deps)
      deps.exit(EXIT_OF_PIPELINE[status])
    })
}

async function show(
  named: string,
  { config: wanted, entry, json, workspace }: ShowFlags,
  deps: ShowDeps,
): Promise<void> {
  const api = deps.api(workspace)
  const id = await pipelineIdOf(api, named)
  const [pipeline, config] = await Promise.all([
    api.pipeline(id),
    wanted ? api.pipelineConfig(id, entry ?? 0) : undefined,
  ])
  if (json) return deps.out(visibleJson({ ...pipeline, ...(config !== undefined && { config }) }))
  const lines = [...pipelineLines(pipeline, Date.now()), ...(config === undefined ? [] : ['', ...configLines(config)])]
  for (const line of fitted(lines, deps.screen()?.width)) deps.out(line)
}
