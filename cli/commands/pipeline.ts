import type { Command } from 'commander'
import type { CliDeps } from '../deps.ts'
import { registerPipelineAnswer } from './pipeline/answer.ts'
import { registerPipelineBundles } from './pipeline/bundles.ts'
import { registerPipelineLint } from './pipeline/lint.ts'
import { registerPipelineList } from './pipeline/list.ts'
import { registerPipelineRun } from './pipeline/run.ts'
import { registerPipelineShow } from './pipeline/show.ts'
import { registerPipelineSteer } from './pipeline/steer.ts'

const COMMANDS = [
  registerPipelineRun,
  registerPipelineList,
  registerPipelineShow,
  registerPipelineSteer,
  registerPipelineAnswer,
  registerPipelineBundles,
  registerPipelineLint,
]

/** `svc pipeline …`: starts, shows and steers pipelines, and checks bundles. */
export function registerPipeline(program: Command, deps: CliDeps): void {
  const pipeline = program.command('pipeline').description('start, show and steer pipelines, and check their bundles')
  for (const register of COMMANDS) register(pipeline, deps)
}
