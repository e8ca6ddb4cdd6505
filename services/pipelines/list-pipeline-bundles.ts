import { faultText } from '#core/file-fault.ts'
import type { PipelineBundle } from '#core/pipeline/bundle-schema.ts'
import type { PipelinePorts } from './ports.ts'

/** Every bundle with the pipelines that can be started from it, or with what is wrong with it. */
export function listPipelineBundles({ pipelines }: PipelinePorts): PipelineBundle[] {
  return pipelines.bundles.list().bundles.map(({ path, digest, pipelines: all, faults }) => ({
    path,
    ...(digest !== undefined && { digest }),
    pipelines: all.map(({ name, title, description, inputs_schema, steps }) => ({
      ...{ name, title, inputs_schema },
      ...(description !== undefined && { description }),
      steps: steps.map((step) => ({
        id: step.id,
        title: step.title,
        kind: step.kind,
        needs: step.needs,
        ...(step.kind === 'run' && { uses: `${step.uses.pack}/${step.uses.template}` }),
      })),
    })),
    faults: faults.filter(({ warning }) => warning !== true).map(faultText),
  }))
}
