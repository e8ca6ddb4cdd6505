import type { WorkflowConfig } from '#core/preset/schema.ts'
import type { PresetContext } from './preset-ports.ts'
import { findWorkflowConfig, type TemplateName, toWorkflowConfig } from './workflow-config-record.ts'

/** What starts of a template begin with in the caller's workspace, and what can be set at all. */
export async function getWorkflowConfig(ctx: PresetContext, of: TemplateName): Promise<WorkflowConfig> {
  return toWorkflowConfig(ctx, of, await findWorkflowConfig(ctx, of))
}
