import { z } from 'zod'
import type { JsonObject } from '#core/json/json.ts'
import { defineOperator, OperatorError } from '#core/operator.ts'
import { cleanText } from '../clean-json.ts'
import { JsonRecord } from '../field-schema.ts'
import { createLiquid, variablesOf } from '../liquid-text.ts'
import { operatorInput } from '../operator-input.ts'

const ARTIFACT = 'report.md'
const MAX_BYTES = 1024 * 1024
const LINE_BREAKS = /[\n\r\v\f\u0085\u2028\u2029]+/g

const ReportRenderInput = z.strictObject({
  title: z.string().min(1).max(1_000).describe('Heading, unless the body begins with one; Liquid'),
  body: z
    .string()
    .max(256 * 1024)
    .describe('Markdown; Liquid over inputs, steps, run, trigger and data'),
  data: JsonRecord.exactOptional().describe('Further values for the text, by name'),
  scope: JsonRecord.exactOptional().describe('Set by the engine'),
})
type ReportRenderInput = z.infer<typeof ReportRenderInput>

/** A value is one line, so that it cannot forge headings, rows or decisions. */
const liquid = createLiquid({ outputEscape: onOneLine })
liquid.registerFilter('code_block', { raw: true, handler: codeBlock })

function onOneLine(value: unknown): string {
  if (Array.isArray(value)) return value.map(onOneLine).join('')
  return String(value ?? '').replace(LINE_BREAKS, ' ')
}

/** Several lines, in a fence that is longer than any within them. */
function codeBlock(value: unknown, language: unknown = ''): string {
  const text = String(value ?? '').trimEnd()
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map(({ length }) => length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}${String(language).replace(/[^a-z]/g, '')}\n${text}\n${fence}`
}

/** Renders the run's report to the artifact `report.md`. */
export const reportRender = defineOperator<ReportRenderInput>({
  id: 'report.render',
  version: 1,
  title: 'Render a report',
  risk: 'low',
  action_type: 'read',
  capabilities: [],
  requires_approval: false,
  wants_scope: true,
  reads_of_scope: ({ title, body }) => [title, body].flatMap((text) => variablesOf(liquid, text)),
  ...operatorInput(ReportRenderInput),
  replay: () => 'safe',
  describe: (input) => ({
    summary: `render report "${input.title}"`,
    targets: { kind: 'artifact', ids: [ARTIFACT] },
  }),
  async simulate(_ctx, input) {
    const report = await render(input)
    return { ok: true, summary: `would write ${ARTIFACT}`, details: { bytes: Buffer.byteLength(report) } }
  },
  async execute(_ctx, input) {
    const report = await render(input)
    const bytes = Buffer.byteLength(report)
    return {
      outputs: { artifact: ARTIFACT, bytes },
      artifacts: [{ name: ARTIFACT, media_type: 'text/markdown', body: report }],
    }
  },
})

const TOP_HEADING = /^# \S/

async function render(input: ReportRenderInput): Promise<string> {
  const data = input.data ?? {}
  const scope: JsonObject = { ...data, ...input.scope, data }
  const title = (await renderText('title', input.title, scope)).replace(/\s+/g, ' ').trim()
  const body = (await renderText('body', input.body, scope)).trim()
  // a body that brings a heading of its own for the whole gets no second one
  const report = cleanText(TOP_HEADING.test(body) ? `${body}\n` : `# ${title}\n\n${body}\n`)
  if (Buffer.byteLength(report) <= MAX_BYTES) return report
  throw new OperatorError('report_too_large', `the report is larger than ${MAX_BYTES} bytes`)
}

async function renderText(field: string, text: string, scope: JsonObject): Promise<string> {
  try {
    return String(await liquid.parseAndRender(text, scope))
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new OperatorError('report_invalid', `${field}: ${reason}`, { cause: error })
  }
}
