import type { AskTool } from '../define-ask-tool.ts'
import { getContractTool, listPacksTool } from './packs.ts'
import { getPipelineTool, listPipelinesTool } from './pipelines.ts'
import { listGatesTool, listHaltsTool, searchAuditTool, searchKnowledgeTool, sumCostsTool } from './records.ts'
import { countRunsTool, getRunStepTool, getRunTool, listRunEventsTool, listRunStepsTool, listRunsTool } from './runs.ts'
import { listScheduleFiringsTool, listSchedulesTool } from './schedules.ts'

/** The tools of the ask agent. All of them read only. */
export const ASK_TOOLS: readonly AskTool[] = [
  listRunsTool,
  countRunsTool,
  getRunTool,
  listRunStepsTool,
  getRunStepTool,
  listRunEventsTool,
  listGatesTool,
  sumCostsTool,
  searchAuditTool,
  listPipelinesTool,
  getPipelineTool,
  listSchedulesTool,
  listScheduleFiringsTool,
  listHaltsTool,
  listPacksTool,
  getContractTool,
  searchKnowledgeTool,
]
