import type { AskTool } from '../define-ask-tool.ts'
import { countRunsTool } from './count-runs.ts'
import { getContractTool } from './get-contract.ts'
import { getPipelineTool } from './get-pipeline.ts'
import { getRunTool } from './get-run.ts'
import { getRunStepTool } from './get-run-step.ts'
import { listGatesTool } from './list-gates.ts'
import { listHaltsTool } from './list-halts.ts'
import { listPacksTool } from './list-packs.ts'
import { listPipelinesTool } from './list-pipelines.ts'
import { listRunEventsTool } from './list-run-events.ts'
import { listRunStepsTool } from './list-run-steps.ts'
import { listRunsTool } from './list-runs.ts'
import { listScheduleFiringsTool } from './list-schedule-firings.ts'
import { listSchedulesTool } from './list-schedules.ts'
import { searchAuditTool } from './search-audit.ts'
import { sumCostsTool } from './sum-costs.ts'

/** What the ask agent can look up. Each of them reads. */
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
]
