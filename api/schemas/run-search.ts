import { z } from '@hono/zod-openapi'
import { LANES } from '#core/contract.ts'
import { PipelineId } from '#core/pipeline/schema.ts'
import { TRIGGER_TYPES } from '#core/run/search.ts'
import { RUN_STATUSES, type RunStatus } from '#core/run/status.ts'
import type { RunsAsked } from '#services/runs/list-runs.ts'

/** Words that other tools use for our statuses. */
const ALIASES: Record<string, RunStatus> = { completed: 'succeeded', success: 'succeeded', canceled: 'cancelled' }

/** Several values with commas between, or the parameter several times: any of them. */
export function anyOf<Word extends string>(words: readonly Word[], what: string, aliases: Record<string, Word> = {}) {
  return z
    .preprocess(
      (given) => (Array.isArray(given) ? given.join(',') : given),
      z.string().max(200).openapi({ type: 'string' }),
    )
    .transform((text, check): Word[] =>
      text.split(',').flatMap((word) => {
        const known = words.find((each) => each === (aliases[word] ?? word))
        if (known !== undefined) return [known]
        check.addIssue({ code: 'custom', message: `is not a ${what}; there are ${words.join(', ')}`, input: word })
        return []
      }),
    )
}

const Time = z.iso
  .datetime({ offset: true, error: 'takes a time as RFC 3339 says it, such as 2026-01-05T09:30:00Z' })
  .optional()
const Name = z.string().min(1).max(200).optional()

/** Query of `GET /runs` besides its paging. */
export const runSearch = {
  lane: anyOf(LANES, 'lane')
    .optional()
    .meta({ description: `${LANES.join(' or ')}`, example: 'background' }),
  status: anyOf(RUN_STATUSES, 'run status', ALIASES)
    .optional()
    .meta({
      description: `One status or several with commas between, or the parameter several times: ${RUN_STATUSES.join(', ')}; \`completed\`, \`success\` and \`canceled\` are understood`,
      example: 'awaiting_approval',
    }),
  pack: Name.meta({ description: 'Name of a pack', example: 'sre' }),
  template: Name.meta({ description: 'A template, with or without its pack', example: 'sre/service-recovery' }),
  environment: Name.meta({ example: 'production' }),
  trigger: z.enum(TRIGGER_TYPES).optional().meta({ description: 'What started the run', example: 'alert' }),
  pipeline: PipelineId.optional().meta({ description: 'Only the runs of this pipeline' }),
  label: Name.meta({ description: '`name=value`, or `name` for any value', example: 'team=payments' }),
  q: Name.meta({
    description:
      'Text in the id, the template, the reason (of an alert its title), the fingerprint, the environment, or the id or name of the requester, or the whole id of a gate; upper and lower case are equal',
    example: 'checkout',
  }),
  since: Time.meta({ description: 'Created at that time or later', example: '2026-01-05T09:30:00Z' }),
  until: Time.meta({ description: 'Created before that time', example: '2026-01-06T00:00:00Z' }),
  awaiting_me: z
    .enum(['true', 'false'])
    .optional()
    .meta({ description: 'Only runs whose gate you may answer now, and whose answer is still missing' }),
}

type Query = z.infer<z.ZodObject<typeof runSearch>> & { limit: number; cursor?: string | undefined }

/** The query as the list of runs takes it. */
export function toRunsAsked({ lane: lanes = [], status, template, label, awaiting_me, ...query }: Query): RunsAsked {
  const [lane] = new Set(lanes).size === 1 ? lanes : []
  const [key = '', value] = label === undefined ? [] : [label.split('=', 1)[0], label.slice(label.indexOf('=') + 1)]
  return {
    ...query,
    lane,
    statuses: status,
    ...templateAsked(query.pack, template),
    ...(label !== undefined && { label: label.includes('=') ? { name: key, value } : { name: label } }),
    awaiting_me: awaiting_me === 'true',
  }
}

/** A template with or without its pack. */
export function templateAsked(pack: string | undefined, template: string | undefined) {
  const [ofTemplate, name] = template?.includes('/') ? template.split('/', 2) : [pack, template]
  // a template of another pack than the requested one matches nothing
  return { pack: pack ?? ofTemplate, template: pack === undefined || pack === ofTemplate ? name : template }
}
