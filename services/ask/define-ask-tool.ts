import { z } from 'zod'
import type { HaltScope } from '#core/halt/halt.ts'
import type { KnowledgeHit } from '#core/knowledge/schema.ts'
import { RUN_STATUSES } from '#core/run/status.ts'
import type { Clock } from '#core/time/time.ts'
import type { PackRegistry } from '#platform/packs/pack-registry.ts'
import type { AskRead } from '#store/ask-reads/read.ts'
import type { KnowledgeQuestion } from '../knowledge/query-knowledge.ts'

/** Most rows of one result. */
export const MAX_ROWS = 20

export const Limit = z.int().min(1).max(MAX_ROWS).default(10).meta({ description: 'How many at most' })
export const RunIdInput = z
  .string()
  .regex(/^run_[0-9a-z]{26}$/)
  .meta({ description: 'Id of a run, run_…' })
export const TemplateName = z
  .string()
  .regex(/^[a-z0-9-]{1,64}\/[a-z0-9-]{1,64}$/)
  .meta({ description: 'pack/template' })
export const SinceHours = z
  .number()
  .gt(0)
  .max(24 * 366)
  .meta({ description: 'Only what began in the last so many hours' })

/** Filters of runs. */
export const RUN_FILTER = {
  status: z.enum(RUN_STATUSES).optional(),
  template: TemplateName.optional(),
  environment: z.string().max(100).optional(),
  trigger: z.string().max(20).optional().meta({ description: 'What started it: alert, schedule, manual, direct, …' }),
  since_hours: SinceHours.optional(),
  text: z.string().min(1).max(200).optional().meta({ description: 'In the id, template, reason or failure' }),
}

/** The context of tools: one readable workspace, and the installed packs. A tool cannot start, decide, cancel or write anything. */
export interface AskToolContext {
  read: AskRead
  packs: Pick<PackRegistry, 'list' | 'findTemplate'>
  clock: Clock
  /** true when a halt affects the workspace */
  concerns(scope: HaltScope): boolean
  /** ids of the answers to an open gate that count now */
  countedOn(gateId: string): Promise<readonly string[]>
  /** searches the corpora of the workspace, best first */
  findChunks(question: KnowledgeQuestion): Promise<KnowledgeHit[]>
}

/** The result of a tool. */
export interface AskFinding {
  data: object
  /** number of records */
  rows: number
  /** path of the API that opens the source */
  ref: string
  /** results that are cited one by one, in place of `data` and best first */
  chunks?: { data: object; ref: string }[]
}

/** A tool of the ask agent, with any arguments. */
export interface AskTool {
  name: string
  description: string
  input: z.ZodObject
  /** throws a `ZodError` for invalid arguments, and `DomainError` */
  run(ctx: AskToolContext, args: unknown): Promise<AskFinding>
}

/** Declares a tool; it reads. */
export function defineAskTool<Input extends z.ZodObject>(tool: {
  name: string
  description: string
  input: Input
  run(ctx: AskToolContext, args: z.infer<Input>): Promise<AskFinding>
}): AskTool {
  const { name, description, input, run } = tool
  return { name, description, input, run: async (ctx, args) => await run(ctx, input.parse(args)) }
}

/** A path with those of these parameters that are there. */
export function refOf(path: string, query: Record<string, string | number | undefined> = {}): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`],
  )
  return given.length === 0 ? path : `${path}?${given.join('&')}`
}
