import type { z } from 'zod'
import type { HaltScope } from '#core/halt/halt.ts'
import type { KnowledgeHit } from '#core/knowledge/schema.ts'
import type { Clock } from '#core/time.ts'
import type { PackRegistry } from '#platform/packs/pack-registry.ts'
import type { AskRead } from '#store/ask-reads/read.ts'
import type { KnowledgeQuestion } from '../knowledge/query-knowledge.ts'

/** All that a tool has: one workspace to read, and what is installed. Nothing of it starts, decides, cancels or writes anything. */
export interface AskToolContext {
  read: AskRead
  packs: Pick<PackRegistry, 'list' | 'findTemplate'>
  clock: Clock
  /** whether a halt is any business of the workspace */
  concerns(scope: HaltScope): boolean
  /** ids of the answers to an open gate that count now */
  countedOn(gateId: string): Promise<readonly string[]>
  /** what the corpora of the workspace say, best first */
  findPassages(question: KnowledgeQuestion): Promise<KnowledgeHit[]>
}

/** What a tool found. */
export interface AskFinding {
  data: object
  /** how many records it is */
  rows: number
  /** path of the API that opens what was read */
  ref: string
  /** of what was found, each that is cited by itself, in the place of `data` and best first */
  passages?: { data: object; ref: string }[]
}

/** A tool of the ask agent, whatever it takes. */
export interface AskTool {
  name: string
  description: string
  input: z.ZodObject
  /** throws a `ZodError` for arguments that are not what it takes, and `DomainError` */
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
